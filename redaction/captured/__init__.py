"""What came, raw: exchange, payloads, request, facts, and a reader of any JSON text."""
