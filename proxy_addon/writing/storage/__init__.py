"""Where fixtures go: a folder or a prefix of an object store, within limits."""
