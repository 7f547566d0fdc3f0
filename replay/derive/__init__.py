"""From one healthy recording, the whole adversarial suite: legal twins of a turn, and one fault each.

`recording` reads a fixture as calls and what stands around them; `wires` tell calls again in the form of its family;
`kinds` are the tables of what is told otherwise, each with the verdict that the rules give it; `making` makes fixtures
of them, through redaction, so that they are data only like any other.
"""
