"""Results as text for people and as JSON for programs. Values in, lines out; nothing here reads, writes or prints."""
