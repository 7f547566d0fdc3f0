"""The official clients of the APIs."""
