"""Turns and folders drawn in a terminal."""
