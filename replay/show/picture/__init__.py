"""Turns as data to be drawn: lanes, rows, and what two turns have in common."""
