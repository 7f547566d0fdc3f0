"""Bytes in memory to data-only fixture bytes. No mitmproxy, no disk, no network."""
