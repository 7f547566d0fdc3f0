"""Adapters: what a real client makes of a streamed turn. Each is a function; `docs/adapters.md` has the protocol.

`table` is read by `toolreel diff`. All other modules here run in the adapter's own interpreter, where toolreel need not
be installed: the standard library, `task`, and the client that the module is about.
"""
