"""Changes to mitmproxy, made once before it starts, and what of it is watched."""
