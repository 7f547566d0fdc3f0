"""The recording proxy: hooks and what they need. Nothing here waits."""
