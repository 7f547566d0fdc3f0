"""Object stores: how a corpus in one is named, and its objects, read and written."""
