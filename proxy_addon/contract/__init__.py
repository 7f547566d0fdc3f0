"""The options about declared tools, which two commands have."""
