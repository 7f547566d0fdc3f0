"""Adapters: what a real client makes of a streamed turn. Each is a function; `docs/adapters.md` has the protocol.

`table` is read by `toolreel diff`. All else here runs in the adapter's own interpreter, where toolreel need not be
installed: `driver` and what it loads (`guard`, `task`) are standard library only, and each module of `clients` adds the
client that it is about. The adapters for Node stand in `node`.
"""
