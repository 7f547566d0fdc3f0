"""Connections through a proxy: those that clients open through the recorder, and those that it opens itself."""
