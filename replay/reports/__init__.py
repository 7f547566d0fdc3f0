"""The reports of a replay, one module for each style: results in, lines out. `styles` alone opens files."""
