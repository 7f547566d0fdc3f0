"""What a recorder tells of itself while it runs: its health, and its metrics, on a listener of their own."""
