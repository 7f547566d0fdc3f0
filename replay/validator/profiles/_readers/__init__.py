"""Readers: what one payload of a profile says, before the machine of its turn hears it."""
