r"""What argument text may say: words that the schemas declare, placeholders, and the signs of JSON.

In: an argument text, joined from its fragments, and what the tool schemas of its file declare. Out: the class of each
token that is anything else. The text may be broken, so it is cut into tokens by one expression that has a token for
every character, and each token is judged by itself. Of `{"city":"Oslo","zip":0}`, where the schema declares `city`,
`{`, `city` and `0` may stand there; `Oslo` is an "argument string", and so is `zip`. Knows no payload.
"""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from redaction.placeholders import CONTRARY
from redaction.proof.words.declared import Declared
from redaction.proof.words.known_placeholders import SchemaPlaceholders

# The tokens of argument text, whatever its state: complete and open strings, numbers, words, all else one by one.
_TOKEN: Final = re.compile(
    r'"(?P<text>(?:[^"\\]|\\(?:[^u]|u[0-9a-fA-F]{4}))*+)"?'
    r"|(?P<number>-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)|(?P<word>[A-Za-z]+)|(?P<rest>.)",
    re.DOTALL,
)
_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_SHORT_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_PAIR: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")
# Placeholders that depend on no schema. A raw tab is what stands for any control character that broke a string.
_TEXT: Final = re.compile(
    "[x\U0001f600\ud800]*(?:\tx*)?|(?:key|x)_[0-9]{1,7}x*(?:\tx*)?|([" + re.escape(CONTRARY) + "])\\1*"
)
_WORD: Final = re.compile(
    r"(?:true|false|null|NaN|-?Infinity|[eEu])?x*|t|tr|tru|f|fa|fal|fals|n|nu|nul|N|Na|I(?:n(?:f(?:i(?:n(?:it?)?)?)?)?)?"
)
_REST: Final = frozenset('{}[],: \t\\.+-\ufeff"')
_ROUND: Final = re.compile(r"-?(?:0{1,3}|10*)(?:\.[05]?0*)?(?:e999)?")
_NUMERIC: Final = re.compile(r"-?[0-9.eE+-]+")
# A number without exponent, and with no zeros before it that could say something.
_WRITTEN_OUT: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")


class ArgumentWords:
    """The words of the argument texts of one fixture, whose tool schemas declare all that is `declared`."""

    def __init__(self, declared: Declared) -> None:
        self._declared = declared
        self._given = SchemaPlaceholders(declared.assertions, declared.compared)
        # What was looked up once is remembered: the same few words come again and again.
        self._given_texts: dict[str, bool] = {}
        self._given_numbers: dict[str, bool] = {}

    def leaks(self, text: str) -> Iterator[str]:
        """The class of each token of an argument text that may not stand there."""
        for match in _TOKEN.finditer(text):
            if match["rest"] is not None:
                if match["rest"] not in _REST:
                    yield "argument text"
            elif match["number"] is not None:
                if not self.has_number(match["number"]):
                    yield "argument number"
            elif match["word"] is not None:
                if not _WORD.fullmatch(match["word"]):
                    yield "argument word"
            elif not self.has_text(_unescaped(match["text"])):
                yield "argument string"

    def explain(self, word: str) -> bool:
        """Whether a token of argument text, or a piece of one, could be `word`."""
        if _WORD.fullmatch(word) or self.has_text(word):
            return True
        return _NUMERIC.fullmatch(word) is not None and self.has_number(word.rstrip(".eE+-"))

    def has_text(self, value: str) -> bool:
        """Whether a string of argument text may be `value`."""
        if not value or _TEXT.fullmatch(value) or value in self._declared.names or value in self._declared.texts:
            return True
        if value not in self._given_texts:
            self._given_texts[value] = self._given.has_text(value)
        return self._given_texts[value]

    def has_number(self, text: str) -> bool:
        """Whether a number of argument text may be written as `text`."""
        if _ROUND.fullmatch(text):
            return True
        if text not in self._given_numbers:
            plain = _WRITTEN_OUT.fullmatch(text) is not None and Decimal(text) in self._declared.numbers
            self._given_numbers[text] = plain or self._given.has_number(text)
        return self._given_numbers[text]


def _unescaped(raw: str) -> str:
    """The inside of a JSON string without its escapes; halves of a surrogate pair that follow each other are one."""

    def one(match: re.Match[str]) -> str:
        return chr(int(match[1], 16)) if match[1] else _SHORT_ESCAPES.get(match[2], match[2])

    text = _ESCAPE.sub(one, raw) if "\\" in raw else raw
    return _PAIR.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)
