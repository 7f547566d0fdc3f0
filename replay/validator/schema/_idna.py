"""Which internationalised labels IDNA 2008 permits (RFC 5891, 5892): what a `hostname` may hold behind `xn--`.

Derived from Python's Unicode tables. The direction rule of RFC 5893 is left to the resolver, and a zero-width
non-joiner is taken behind a virama or between Arabic letters.
"""

import unicodedata
from collections.abc import Callable, Mapping
from typing import Final

LETTERS_AND_DIGITS: Final = frozenset({"Ll", "Lu", "Lo", "Nd", "Lm", "Mn", "Mc"})
MARKS: Final = frozenset({"Mn", "Mc", "Me"})
VIRAMA: Final = 9  # its canonical combining class

# RFC 5892, section 2.6.
VALID: Final = frozenset("\u00df\u03c2\u06fd\u06fe\u0f0b\u3007")
DISALLOWED: Final = frozenset("\u0640\u07fa\u302e\u302f\u3031\u3032\u3033\u3034\u3035\u303b")
# Old Hangul jamo (2.9), and blocks of combining symbols and musical notation (2.4).
DISALLOWED_RANGES: Final = (
    (0x1100, 0x11FF),
    (0xA960, 0xA97C),
    (0xD7B0, 0xD7FB),
    (0x20D0, 0x20FF),
    (0x1D100, 0x1D24F),
)
ARABIC_INDIC: Final = frozenset(map(chr, range(0x660, 0x66A)))
EXTENDED_ARABIC_INDIC: Final = frozenset(map(chr, range(0x6F0, 0x6FA)))


def is_a_label(label: str) -> bool:
    """Whether an ASCII label that begins with `xn--` stands for a permitted Unicode one."""
    encoded = label[4:].lower()
    try:
        decoded = encoded.encode("ascii").decode("punycode")
        again = decoded.encode("punycode").decode("ascii")
    except (UnicodeError, ValueError, OverflowError):
        return False
    return again == encoded and not decoded.isascii() and is_u_label(decoded)


def is_u_label(label: str) -> bool:
    """Whether a label with characters beyond ASCII is permitted."""
    if label.startswith("-") or label.endswith("-") or label[2:4] == "--":
        return False
    if unicodedata.normalize("NFC", label) != label or unicodedata.category(label[0]) in MARKS:
        return False
    return all(_is_permitted(label, place) for place in range(len(label)))


def _is_permitted(label: str, place: int) -> bool:
    character = label[place]
    rule = CONTEXT.get(character)
    if rule is not None:
        return rule(label, place)
    if character in VALID or (character.isascii() and (character in "-0123456789" or character.islower())):
        return True
    if character in DISALLOWED or any(low <= ord(character) <= high for low, high in DISALLOWED_RANGES):
        return False
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", character).casefold())
    return folded == character and unicodedata.category(character) in LETTERS_AND_DIGITS


def _neighbour(label: str, place: int) -> str:
    return label[place] if 0 <= place < len(label) else ""


def _is_named(character: str, *scripts: str) -> bool:
    return bool(character) and unicodedata.name(character, "").startswith(scripts)


def _middle_dot(label: str, place: int) -> bool:
    return _neighbour(label, place - 1) == "l" and _neighbour(label, place + 1) == "l"


def _keraia(label: str, place: int) -> bool:
    return _is_named(_neighbour(label, place + 1), "GREEK ")


def _geresh(label: str, place: int) -> bool:
    return _is_named(_neighbour(label, place - 1), "HEBREW ")


def _katakana_middle_dot(label: str, _: int) -> bool:
    others = (character for character in label if character != "\u30fb")
    return any(_is_named(character, "HIRAGANA ", "KATAKANA ", "CJK UNIFIED", "CJK COMPAT") for character in others)


def _joiner(label: str, place: int) -> bool:
    before = _neighbour(label, place - 1)
    return bool(before) and unicodedata.combining(before) == VIRAMA


def _non_joiner(label: str, place: int) -> bool:
    arabic = _is_named(_neighbour(label, place - 1), "ARABIC ") and _is_named(_neighbour(label, place + 1), "ARABIC ")
    return arabic or _joiner(label, place)


def _no_extended_digit(label: str, _: int) -> bool:
    return EXTENDED_ARABIC_INDIC.isdisjoint(label)


def _no_arabic_indic_digit(label: str, _: int) -> bool:
    return ARABIC_INDIC.isdisjoint(label)


# RFC 5892, appendix A: characters that depend on the others of their label.
CONTEXT: Final[Mapping[str, Callable[[str, int], bool]]] = {
    "\u00b7": _middle_dot,
    "\u0375": _keraia,
    "\u05f3": _geresh,
    "\u05f4": _geresh,
    "\u30fb": _katakana_middle_dot,
    "\u200c": _non_joiner,
    "\u200d": _joiner,
    **dict.fromkeys(ARABIC_INDIC, _no_extended_digit),
    **dict.fromkeys(EXTENDED_ARABIC_INDIC, _no_arabic_indic_digit),
}
