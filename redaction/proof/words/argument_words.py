r"""What argument text may say: words that the schemas declare, placeholders, and the signs of JSON.

In: an argument text, joined from its fragments, and what the tool schemas of its file declare. Out: the class of each
token that is anything else. The text may be broken, so it is cut into tokens by one expression that has a token for
every character, and each token is judged by itself. Of `{"city":"Oslo","zip":0}`, where the schema declares `city`,
`{`, `city` and `0` may stand there; `Oslo` is an "argument string", and so is `zip`. Knows no payload.
"""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Final

from redaction.applicable import STRING_ASSERTIONS, Document
from redaction.placeholders import CONTRARY, plain_number
from redaction.proof.words.argument_places import Placed, placed
from redaction.proof.words.argument_tokens import TOKEN, unescaped
from redaction.proof.words.declared import Declared
from redaction.proof.words.known_placeholders import SchemaPlaceholders
from redaction.proof.words.searched import is_searched_number, is_searched_text
from replay.validator.schema import unsupported

# Placeholders that depend on no schema. A raw tab is what stands for any control character that broke a string.
_TEXT: Final = re.compile(
    "[x\U0001f600\ud800]*(?:\tx*)?|(?:key|x)_[0-9]{1,7}x*(?:\tx*)?|([" + re.escape(CONTRARY) + "])\\1*"
)
_WORD: Final = re.compile(
    r"(?:true|false|null|NaN|-?Infinity|[eEu])?x*|t|tr|tru|f|fa|fal|fals|n|nu|nul|N|Na|I(?:n(?:f(?:i(?:n(?:it?)?)?)?)?)?"
)
_REST: Final = frozenset('{}[],: \t\x01\xa0\\.+-\ufeff"')
_ROUND: Final = re.compile(r"-?(?:0{1,3}|10*)(?:\.[05]?0*)?(?:e999)?")
# As many characters of a raw value as no file may have.
_TELLING: Final = 8
_NUMERIC: Final = re.compile(r"-?[0-9.eE+-]+")
# Words that clients take for a boolean or for a number.
_CONVERTED: Final = re.compile(r"true|false|yes|no|NaN")
# A number without exponent, and with no zeros before it that could say something.
_WRITTEN_OUT: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")


class ArgumentWords:
    """The words of the argument texts of one fixture, whose tool schemas declare all that is `declared`."""

    def __init__(self, declared: Declared, schemas: Mapping[str, object]) -> None:
        self._declared = declared
        self._schemas = schemas
        self._documents: dict[str, Document] = {}
        self._given = SchemaPlaceholders(declared.assertions, declared.compared)
        # What was looked up once is remembered: the same few words come again and again.
        self._given_texts: dict[str, bool] = {}
        self._given_numbers: dict[str, bool] = {}
        # What a search gives for the place at which it stands.
        self._searched_texts: set[str] = set()
        self._searched_numbers: set[str] = set()

    def leaks(self, text: str, tool: str = "") -> Iterator[str]:
        """The class of each token that may not stand in an argument text, which is that of a call of `tool`."""
        if tool in self._schemas and any(self._unknown(text)):
            for one in placed(text, self._document(tool)):
                self._search(one)
        yield from self._unknown(text)

    def is_free_text(self, text: str, tool: str) -> bool:
        """Whether `text`, one string and no JSON, may be that of a call of `tool`."""
        if tool in self._schemas:
            about = self._document(tool).whole().assertions(STRING_ASSERTIONS)
            self._search(Placed(text, is_number=False, assertions=about))
        return self.has_text(text)

    def _document(self, tool: str) -> Document:
        if tool not in self._documents:
            schema = self._schemas[tool]
            self._documents[tool] = Document(schema if unsupported(schema) is None else None)
        return self._documents[tool]

    def _search(self, one: Placed) -> None:
        """Notes a string or number that is no known one, if a search gives it for its place."""
        if one.is_number:
            if not self.has_number(one.written) and is_searched_number(one.written, one.assertions):
                self._searched_numbers.add(one.written)
        elif not self.has_text(one.written) and is_searched_text(one.written, one.assertions):
            self._searched_texts.add(one.written)

    def _unknown(self, text: str) -> Iterator[str]:
        for match in TOKEN.finditer(text):
            if match["rest"] is not None:
                if match["rest"] not in _REST:
                    yield "argument text"
            elif match["number"] is not None:
                if not self.has_number(match["number"]):
                    yield "argument number"
            elif match["word"] is not None:
                if not _WORD.fullmatch(match["word"]):
                    yield "argument word"
            elif not self.has_text(unescaped(match["text"])):
                yield "argument string"

    def made_up_numbers(self, text: str) -> Iterator[Decimal]:
        """The numbers of an argument text that bounds and factors gave, and that nobody declared: long ones alone."""
        for match in TOKEN.finditer(text):
            number = match["number"]
            if number is None or len(number) < _TELLING or _ROUND.fullmatch(number):
                continue
            value = Decimal(number)
            said = plain_number(value)
            if len(said) >= _TELLING and value not in self._declared.numbers and said not in self._declared.words:
                yield value

    def explain(self, word: str) -> bool:
        """Whether a token of argument text, or a piece of one, could be `word`."""
        if _WORD.fullmatch(word) or self.has_text(word) or not any(self._unknown(word)):
            return True
        return _NUMERIC.fullmatch(word) is not None and self.has_number(word.rstrip(".eE+-"))

    def is_placeholder(self, value: str) -> bool:
        """Whether a text is one of the placeholders that no schema or that some schema of the fixture gives."""
        return _TEXT.fullmatch(value) is not None or self._given.has_text(value)

    def has_text(self, value: str) -> bool:
        """Whether a string of argument text may be `value`."""
        if not value or _TEXT.fullmatch(value) or value in self._declared.names or value in self._declared.texts:
            return True
        if value in self._searched_texts:
            return True
        if value not in self._given_texts:
            self._given_texts[value] = self._given.has_text(value) or self._reads_as_clean(value)
        return self._given_texts[value]

    def _reads_as_clean(self, value: str) -> bool:
        """Whether a string is what a client may convert: a number, or JSON, that could stand there without quotes."""
        if _CONVERTED.fullmatch(value):
            return True
        if _NUMERIC.fullmatch(value):
            return self.has_number(value)
        return value[:1] in ("{", "[") and next(self.leaks(value.rstrip(" ")), None) is None

    def has_number(self, text: str) -> bool:
        """Whether a number of argument text may be written as `text`."""
        if _ROUND.fullmatch(text) or text in self._searched_numbers:
            return True
        if text not in self._given_numbers:
            plain = _WRITTEN_OUT.fullmatch(text) is not None and Decimal(text) in self._declared.numbers
            self._given_numbers[text] = plain or self._given.has_number(text)
        return self._given_numbers[text]
