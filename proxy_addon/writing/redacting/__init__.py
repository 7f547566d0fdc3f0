"""From a finished capture to the result of its redaction, in a process of its own."""
