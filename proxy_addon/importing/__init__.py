"""What other tools recorded, through the same redaction and the same sink as a recording: `toolreel import`."""
