"""Fixtures over HTTP, as their providers answered, on the loopback interface alone.

`server` opens the sockets, and nothing else here does. A request that came in is read by `http1`; `matching` finds the
fixture that it asks for; `cutting` makes the writes of its body; `answers` puts these together to the answer.
"""
