"""Readers: one for each format that a file of recorded traffic may have."""
