"""Fixtures through real clients: what each would have executed, and whether that fits the verdict.

`outcomes` compares, `process` runs an adapter in its own interpreter, `adapter` finds one, `outcome_pins` reads and
writes what is pinned, `runs` joins them to results, `reporting` shows those.
"""
