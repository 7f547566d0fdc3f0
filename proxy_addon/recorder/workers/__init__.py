"""Several processes that carry traffic on one port, and the one that writes for all of them."""
