r"""The formats as regular expressions, so that a search can ask for a text of a format that a pattern matches too.

    format ipv4, pattern ^10\.      the search walks both expressions at once, and finds `10.0.0.0`

The expressions are guides, and no judge: the caller asks the validator whether a text that was found is of the format.
Some leave odd texts of the format out, and some let a text in that is too long. Knows no schema and no capture.
"""

from collections.abc import Mapping
from typing import Final

_YEAR: Final = r"\d{4}"
_LEAP_YEAR: Final = r"(?:\d\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)"
_DATE: Final = (
    rf"(?:{_YEAR}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)"
    rf"|02-(?:0[1-9]|1\d|2[0-8]))|{_LEAP_YEAR}-02-29)"
)
_ZONE: Final = r"(?:[Zz]|[+\-](?:[01]\d|2[0-3]):[0-5]\d)"
_TIME: Final = rf"(?:(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?{_ZONE}|23:59:60(?:\.\d+)?[Zz])"
_OCTET: Final = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
_IPV4: Final = rf"{_OCTET}(?:\.{_OCTET}){{3}}"
_HEXTET: Final = r"[0-9a-fA-F]{1,4}"
_IPV6: Final = "(?:" + "|".join(
    [
        rf"{_HEXTET}(?::{_HEXTET}){{7}}",
        rf"::(?:{_HEXTET}(?::{_HEXTET}){{0,6}})?",
        *(
            rf"{_HEXTET}(?::{_HEXTET}){{{front - 1}}}::(?:{_HEXTET}(?::{_HEXTET}){{0,{6 - front}}})?"
            for front in range(1, 7)
        ),
        rf"{_HEXTET}(?::{_HEXTET}){{6}}::",
        rf"(?:{_HEXTET}:){{6}}{_IPV4}",
        rf"::(?:{_HEXTET}:){{0,5}}{_IPV4}",
    ]
) + ")"  # fmt: skip
_LABEL: Final = r"[A-Za-z0-9](?:[A-Za-z0-9\-]{0,61}[A-Za-z0-9])?"
_HOSTNAME: Final = rf"{_LABEL}(?:\.{_LABEL})*"
# Without the bound on the length of a label, which makes an expression ten times as large.
_SHORT_LABEL: Final = r"[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*"
_SHORT_HOSTNAME: Final = rf"{_SHORT_LABEL}(?:\.{_SHORT_LABEL})*"
_ATEXT: Final = r"[A-Za-z0-9!#$%&'*+\/=?^_`\{\|\}~\-]+"
_QUOTED: Final = r'"(?:[ !#-\[\]-~]|\\[ -~])*"'
_WIDE_ATEXT: Final = r"[A-Za-z0-9!#$%&'*+\/=?^_`\{\|\}~\-\u0080-\u{10ffff}]+"
_WIDE_LABEL: Final = r"[A-Za-z0-9\u0080-\u{10ffff}](?:[A-Za-z0-9\-\u0080-\u{10ffff}]*[A-Za-z0-9\u0080-\u{10ffff}])?"
_DURATION_DATE: Final = r"(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)"
_DURATION_TIME: Final = r"T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S)"
_HEX: Final = "[0-9a-fA-F]"
_POINTER: Final = r"(?:\/(?:[^~\/]|~[01])*)*"


def _reference(wide: str) -> tuple[str, str]:
    """What a URI or IRI is, and what a reference to one is; `wide` are the characters beyond ASCII."""
    plain = rf"A-Za-z0-9._~!$&'()*+,;=\-{wide}"
    escaped = f"%{_HEX}{{2}}"
    path = rf"(?:[{plain}:@\/]|{escaped})*"
    rooted = rf"\/(?:(?:[{plain}:@]|{escaped})(?:[{plain}:@\/]|{escaped})*)?"
    host = rf"(?:(?:[{plain}]|{escaped})*|\[::1?\])"
    authority = rf"\/\/(?:(?:[{plain}:]|{escaped})*@)?{host}(?::\d*)?(?:\/{path})?"
    rest = rf"(?:\?(?:[{plain}:@\/?]|{escaped})*)?(?:#(?:[{plain}:@\/?]|{escaped})*)?"
    rootless = rf"(?:(?:[{plain}:@]|{escaped}){path})?"
    colonless = rf"(?:(?:[{plain}@]|{escaped})+(?:\/{path})?)?"
    absolute = rf"[A-Za-z][A-Za-z0-9+.\-]*:(?:{authority}|{rooted}|{rootless}){rest}"
    return absolute, rf"(?:{absolute}|(?:{authority}|{rooted}|{colonless}){rest})"


_URI, _URI_REFERENCE = _reference("")
_IRI, _IRI_REFERENCE = _reference(r"\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef")
_NAME: Final = r"[A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*(?::[1-9]\d{0,3}|\*)?"
_LITERAL: Final = rf"(?:[\x21\x23\x24\x26-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7e]|%{_HEX}{{2}})"

EXPRESSIONS: Final[Mapping[str, str]] = {
    name: f"^(?:{expression})$"
    for name, expression in {
        "date": _DATE,
        "time": _TIME,
        "date-time": rf"{_DATE}[Tt]{_TIME}",
        "duration": rf"P\d+W|P(?:{_DURATION_DATE}(?:{_DURATION_TIME})?|{_DURATION_TIME})",
        "email": rf"(?:{_ATEXT}(?:\.{_ATEXT})*|{_QUOTED})@(?:{_SHORT_HOSTNAME}|\[{_IPV4}\])",
        "idn-email": rf"{_WIDE_ATEXT}(?:\.{_WIDE_ATEXT})*@{_WIDE_LABEL}(?:\.{_WIDE_LABEL})*",
        "hostname": _HOSTNAME,
        "ipv4": _IPV4,
        "ipv6": _IPV6,
        "uri": _URI,
        "uri-reference": _URI_REFERENCE,
        "iri": _IRI,
        "iri-reference": _IRI_REFERENCE,
        "uri-template": rf"(?:{_LITERAL}|\{{[+#.\/;?&]?{_NAME}(?:,{_NAME})*\}})*",
        "uuid": rf"{_HEX}{{8}}(?:-{_HEX}{{4}}){{3}}-{_HEX}{{12}}",
        "json-pointer": _POINTER,
        "relative-json-pointer": rf"(?:0|[1-9]\d*)(?:#|{_POINTER})",
    }.items()
}
