"""Bytes to payload texts and back. Standard library only; imports nothing of the project outside this folder."""
