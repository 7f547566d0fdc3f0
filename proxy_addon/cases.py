"""Case names: how a user names a fixture, on the wire or on the command line."""

import re
from typing import Final

# `NAME.expected.json` is the pin of NAME, so no case is called so.
CASE_NAME: Final = re.compile(r"(?!.*\.expected\Z)[a-z0-9_-][a-z0-9._-]{0,63}")

CASE_NAME_SAID: Final = "1 to 64 of a-z 0-9 . _ -, the first no dot, the end not .expected"
