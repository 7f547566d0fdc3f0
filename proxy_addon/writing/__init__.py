"""What makes a file on disk of a finished capture, or a reason why there is none."""
