"""Many fixtures: judged, compared with their pins, recut, surveyed."""
