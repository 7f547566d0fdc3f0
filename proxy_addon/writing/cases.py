"""Case names: how a user names a fixture, on the wire or on the command line."""

import re
from typing import Final

# What stands beside the fixture NAME.json: its pin, and what clients made of it. No case is called so.
BESIDE: Final = (".expected", ".adapters")

CASE_NAME: Final = re.compile(rf"(?!.*(?:{'|'.join(map(re.escape, BESIDE))})\Z)[a-z0-9_-][a-z0-9._-]{{0,63}}")

CASE_NAME_SAID: Final = f"1 to 64 of a-z 0-9 . _ -, the first no dot, the end not {' or '.join(BESIDE)}"
