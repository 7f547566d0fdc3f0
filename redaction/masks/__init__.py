"""Default-deny masks of payloads and argument texts."""
