"""The machine of a turn: slots, what is noted of them, and their arguments."""
