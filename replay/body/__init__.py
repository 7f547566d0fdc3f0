"""A fixture to the bytes that its provider sent, and back."""
