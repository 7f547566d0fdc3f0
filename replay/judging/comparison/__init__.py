"""A verdict held against its pin, and what differs between them, with the reasons."""
