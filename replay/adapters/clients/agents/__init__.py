"""The adapters of frameworks that run tools themselves, in Python: their tools are typed functions that record."""
