"""How the table of a family is written and read: its shape, its treatments, and what several have in common."""
