"""Turns and folders drawn as one page of HTML."""
