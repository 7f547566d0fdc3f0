"""Fixtures over HTTP, as their providers answered: a sans-IO core, and a thin rim on the loopback interface alone.

`cutting` makes writes of a rendered body, `reels` knows which fixture is asked for, `http1` reads requests and frames
answers, `desk` joins them: request in, answer out. `server` alone opens sockets.
"""
