"""One module a wire family: what redaction knows of it."""
