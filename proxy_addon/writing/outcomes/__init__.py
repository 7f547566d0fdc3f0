"""What became of captures and other exchanges, as values, numbers and lines."""
