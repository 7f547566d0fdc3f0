"""Fixtures through real clients: what each would have executed, and whether that fits the verdict.

`adapter_command` finds an adapter by its name, and `adapter_process` runs it in its own interpreter. `outcomes`
compares what it handed over with the verdict, `outcome_pins` reads and writes the file of pinned outcomes. `runs` puts
these together to results, and `reporting` shows the results.
"""
