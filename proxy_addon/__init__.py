"""The recording proxy: the only package that imports mitmproxy."""
