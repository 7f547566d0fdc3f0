"""The search for a stream on which an adapter hands over what it must not, loses a call, crashes or hangs.

`streams` composes turns of kinds, twins and small damages; `probe` asks the adapter for one turn after another;
`looking` lets Hypothesis choose and shrink; what it finds is made as short as it can be and written as a fixture.
"""
