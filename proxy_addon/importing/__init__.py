"""What other tools recorded, through the same redaction and the same folder as a recording: `toolreel import`."""
