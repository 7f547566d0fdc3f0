"""Texts and numbers that answer several assertions at once, found by search; shared by masks and proof."""
