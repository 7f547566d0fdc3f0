"""From a finished capture to a file on disk, or to a reason why not."""
