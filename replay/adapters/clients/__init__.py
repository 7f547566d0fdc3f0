"""The adapters in Python, one module for each client and API. The driver imports the one that is asked for."""
