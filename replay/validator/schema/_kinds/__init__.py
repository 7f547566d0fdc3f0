"""The keywords of JSON Schema by the kind of value that they speak of: how each is judged, and its words."""
