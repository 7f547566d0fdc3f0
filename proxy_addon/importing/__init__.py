"""`toolreel import`: fixtures of what other tools recorded, through the same redaction and the same folder."""
