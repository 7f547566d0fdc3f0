"""What a fixture says of the declared tools: which of them are named, and which of their words stand as declared."""
