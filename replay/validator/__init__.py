"""The validator: payloads of one assistant turn to a verdict on its tool calls. Standard library only."""
