"""The form of the files beside a fixture, and of a fixture's own bytes."""
