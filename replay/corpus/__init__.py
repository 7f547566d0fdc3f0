"""Fixtures and pins on disk: found, read, written."""
