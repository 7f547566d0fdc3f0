"""The tokens of argument text, whatever its state: complete and open strings, numbers, words, all else one by one.

`{"city":"Os` has the tokens `{`, `"city"`, `:` and `"Os`. One expression has a token for every character, so that a
broken text is cut into tokens as well as a whole one. Knows no schema.
"""

import re
from typing import Final

TOKEN: Final = re.compile(
    r'"(?P<text>(?:[^"\\]|\\(?:[^u]|u[0-9a-fA-F]{4}))*+)"?'
    r"|(?P<number>-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)|(?P<word>[A-Za-z]+)|(?P<rest>.)",
    re.DOTALL,
)
_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_SHORT_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_PAIR: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def unescaped(raw: str) -> str:
    """The inside of a JSON string without its escapes; halves of a surrogate pair that follow each other are one."""

    def one(match: re.Match[str]) -> str:
        return chr(int(match[1], 16)) if match[1] else _SHORT_ESCAPES.get(match[2], match[2])

    text = _ESCAPE.sub(one, raw) if "\\" in raw else raw
    return _PAIR.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)
