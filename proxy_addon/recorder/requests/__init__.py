"""What the hooks do with a request: read, counted, sent on, or answered by the recorder itself."""
