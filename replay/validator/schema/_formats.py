"""The formats that `format` asserts: each a question about one string, answered in time linear in it.

Only these are known; another name makes a schema unsupported. They read ASCII digits only, and follow the documents
that the draft names. `regex` and `idn-hostname` are left out: the one would accept what `pattern` cannot run, the
other needs the direction rule and mappings that the standard library lacks.
"""

import re
from collections.abc import Callable, Mapping
from datetime import date
from typing import Final

from replay.validator.schema._expressions import Expression
from replay.validator.schema._idna import is_a_label

DATE: Final = Expression(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
TIME: Final = Expression(
    r"([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9]|60)(?:\.[0-9]+)?"
    r"(?:[zZ]|([-+])([01][0-9]|2[0-3]):([0-5][0-9]))"
)
DURATION_WEEKS: Final = Expression(r"P[0-9]+W")
# Units may be left out at both ends, never between two (RFC 3339, appendix A).
DURATION: Final = Expression(
    r"P(?:(?=[0-9T])(?:[0-9]+Y(?:[0-9]+M(?:[0-9]+D)?)?|[0-9]+M(?:[0-9]+D)?|[0-9]+D)?"
    r"(?:T(?:[0-9]+H(?:[0-9]+M(?:[0-9]+S)?)?|[0-9]+M(?:[0-9]+S)?|[0-9]+S))?)"
)
UUID: Final = Expression(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}")
LABEL: Final = Expression(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?")
OCTET: Final = Expression(r"0|[1-9][0-9]{0,2}")
HEXTET: Final = Expression(r"[0-9a-fA-F]{1,4}")
ATEXT: Final = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
DOT_ATOM: Final = Expression(rf"{ATEXT}(?:\.{ATEXT})*")
QUOTED: Final = Expression(r'"(?:[ !#-\[\]-~]|\\[ -~])*"')
# RFC 6531 adds every character beyond ASCII to the text of an address.
WIDE_ATEXT: Final = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u0080-\U0010ffff-]+"
WIDE_DOT_ATOM: Final = Expression(rf"{WIDE_ATEXT}(?:\.{WIDE_ATEXT})*")
WIDE_QUOTED: Final = Expression(r'"(?:[ !#-\[\]-~\u0080-\U0010ffff]|\\[ -~])*"')
WIDE_LABEL: Final = Expression(
    r"[A-Za-z0-9\u0080-\U0010ffff](?:[A-Za-z0-9\u0080-\U0010ffff-]*[A-Za-z0-9\u0080-\U0010ffff])?"
)
JSON_POINTER: Final = Expression(r"(?:/(?:[^~/]|~[01])*)*")
RELATIVE_POINTER: Final = Expression(r"(?:0|[1-9][0-9]*)(?:#|(?:/(?:[^~/]|~[01])*)*)")

SCHEME: Final = Expression(r"[A-Za-z][A-Za-z0-9+.-]*:")
UNRESERVED: Final = r"A-Za-z0-9._~\-"
SUB_DELIMS: Final = r"!$&'()*+,;="
ESCAPED: Final = "%[0-9A-Fa-f]{2}"
# RFC 3987: what an IRI may hold beyond a URI; private use in the query only.
WIDE: Final = r"\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef" + "".join(
    rf"\U{plane:04x}0000-\U{plane:04x}fffd" for plane in range(1, 15)
)
PRIVATE: Final = r"\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd"
IP_FUTURE: Final = Expression(rf"[vV][0-9A-Fa-f]+\.[{UNRESERVED}{SUB_DELIMS}:]+")

LITERAL_TEXT: Final = (
    r"[\x21\x23\x24\x26-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7e\u00a0-\ud7ff\ue000-\U0010ffff]|" + ESCAPED
)
VARIABLE: Final = rf"(?:[A-Za-z0-9_]|{ESCAPED})(?:\.?(?:[A-Za-z0-9_]|{ESCAPED}))*(?::[1-9][0-9]{{0,3}}|\*)?"
URI_TEMPLATE: Final = Expression(rf"(?:{LITERAL_TEXT}|\{{[+#./;?&=,!@|]?{VARIABLE}(?:,{VARIABLE})*\}})*")


def is_date(text: str) -> bool:
    """RFC 3339 `full-date`."""
    match = DATE.fullmatch(text)
    if match is None:
        return False
    year, month, day = (int(part) for part in match.groups())
    try:
        # The year 0 is a leap year that `date` does not know; 400 years later the calendar is the same.
        date(year or 400, month, day)
    except ValueError:
        return False
    return True


def is_time(text: str) -> bool:
    """RFC 3339 `full-time`; a leap second only where it is 23:59:60 in UTC."""
    match = TIME.fullmatch(text)
    if match is None:
        return False
    hour, minute, second, sign, offset_hour, offset_minute = match.groups()
    if second != "60":
        return True
    offset = int(offset_hour or 0) * 60 + int(offset_minute or 0)
    utc = int(hour) * 60 + int(minute) - (-offset if sign == "-" else offset)
    return utc % (24 * 60) == 23 * 60 + 59


def is_date_time(text: str) -> bool:
    """RFC 3339 `date-time`."""
    return text[10:11] in ("T", "t") and is_date(text[:10]) and is_time(text[11:])


def is_duration(text: str) -> bool:
    """RFC 3339, appendix A."""
    return DURATION_WEEKS.fullmatch(text) is not None or (text != "P" and DURATION.fullmatch(text) is not None)


def is_uuid(text: str) -> bool:
    """RFC 4122."""
    return UUID.fullmatch(text) is not None


def is_ipv4(text: str) -> bool:
    """RFC 2673: four decimal octets without leading zeros."""
    parts = text.split(".", 4)
    return len(parts) == 4 and all(OCTET.fullmatch(part) is not None and int(part) <= 255 for part in parts)


def is_ipv6(text: str) -> bool:
    """RFC 4291, section 2.2; without a zone."""
    if len(text) > len("ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255"):
        return False
    head, gap, tail = text.partition("::")
    front = _hextets(head, may_end_in_ipv4=not gap)
    back = _hextets(tail, may_end_in_ipv4=True) if gap else 0
    if front is None or back is None:
        return False
    return front + back <= 7 if gap else front == 8


def _hextets(text: str, *, may_end_in_ipv4: bool) -> int | None:
    """How many groups of 16 bits the text stands for, None where it stands for none."""
    if not text:
        return 0
    parts = text.split(":")
    count = len(parts)
    if may_end_in_ipv4 and "." in parts[-1]:
        if not is_ipv4(parts.pop()):
            return None
        count += 1
    return count if all(HEXTET.fullmatch(part) is not None for part in parts) else None


def is_hostname(text: str) -> bool:
    """RFC 1123, section 2.1, whose labels behind `xn--` IDNA 2008 permits."""
    if len(text) > 253:
        return False
    return all(LABEL.fullmatch(label) is not None and _is_plain_or_a_label(label) for label in text.split("."))


def _is_plain_or_a_label(label: str) -> bool:
    return label[2:4] != "--" or (label[:2].lower() == "xn" and is_a_label(label))


def is_email(text: str) -> bool:
    """RFC 5321 `Mailbox`."""
    local, at, domain = text.rpartition("@")
    if not at or (DOT_ATOM.fullmatch(local) is None and QUOTED.fullmatch(local) is None):
        return False
    return _is_address_literal(domain) or is_hostname(domain)


def is_idn_email(text: str) -> bool:
    """RFC 6531 `Mailbox`, the domain's labels by their shape only."""
    local, at, domain = text.rpartition("@")
    if not at or (WIDE_DOT_ATOM.fullmatch(local) is None and WIDE_QUOTED.fullmatch(local) is None):
        return False
    return _is_address_literal(domain) or all(WIDE_LABEL.fullmatch(label) is not None for label in domain.split("."))


def _is_address_literal(domain: str) -> bool:
    if not (domain.startswith("[") and domain.endswith("]")):
        return False
    address = domain[1:-1]
    if address[:5].lower() == "ipv6:":
        return is_ipv6(address[5:])
    return is_ipv4(address)


class _Reference:
    """URIs of RFC 3986 and IRIs of RFC 3987: the same grammar over two alphabets."""

    def __init__(self, wide: str, private: str) -> None:
        character = rf"(?:[{UNRESERVED}{SUB_DELIMS}:@{wide}]|{ESCAPED})"
        self.path = Expression(rf"(?:{character}|/)*")
        self.query = Expression(rf"(?:{character}|[/?{private}])*")
        self.fragment = Expression(rf"(?:{character}|[/?])*")
        self.user = Expression(rf"(?:[{UNRESERVED}{SUB_DELIMS}:{wide}]|{ESCAPED})*")
        self.host = Expression(rf"(?:[{UNRESERVED}{SUB_DELIMS}{wide}]|{ESCAPED})*")

    def is_absolute(self, text: str) -> bool:
        """Whether the text has a scheme and what may follow it."""
        scheme = SCHEME.match(text)
        return scheme is not None and self._is_rest(text[scheme.end() :])

    def is_reference(self, text: str) -> bool:
        """Whether the text has a scheme, or is relative: then the first segment of its path has no colon."""
        if self.is_absolute(text):
            return True
        first = re.split(r"[/?#]", text, maxsplit=1)[0]
        return ":" not in first and self._is_rest(text)

    def _is_rest(self, text: str) -> bool:
        text, _, fragment = text.partition("#")
        text, _, query = text.partition("?")
        if self.fragment.fullmatch(fragment) is None or self.query.fullmatch(query) is None:
            return False
        if text.startswith("//"):
            authority, slash, path = text[2:].partition("/")
            return self._is_authority(authority) and self.path.fullmatch(slash + path) is not None
        return self.path.fullmatch(text) is not None

    def _is_authority(self, text: str) -> bool:
        user, at, host = text.rpartition("@")
        if at and self.user.fullmatch(user) is None:
            return False
        if host.startswith("["):
            literal, bracket, port = host[1:].partition("]")
            if not bracket or not (is_ipv6(literal) or IP_FUTURE.fullmatch(literal) is not None):
                return False
            return re.fullmatch(r"(?::[0-9]*)?", port) is not None
        name, _, port = host.partition(":")
        return self.host.fullmatch(name) is not None and re.fullmatch(r"[0-9]*", port) is not None


_URI: Final = _Reference("", "")
_IRI: Final = _Reference(WIDE, PRIVATE)


def is_uri_template(text: str) -> bool:
    """RFC 6570, all four levels."""
    return URI_TEMPLATE.fullmatch(text) is not None


def is_json_pointer(text: str) -> bool:
    """RFC 6901, as a JSON string."""
    return JSON_POINTER.fullmatch(text) is not None


def is_relative_json_pointer(text: str) -> bool:
    """Relative JSON Pointer, the draft that JSON Schema names."""
    return RELATIVE_POINTER.fullmatch(text) is not None


FORMATS: Final[Mapping[str, Callable[[str], bool]]] = {
    "date": is_date,
    "time": is_time,
    "date-time": is_date_time,
    "duration": is_duration,
    "email": is_email,
    "idn-email": is_idn_email,
    "hostname": is_hostname,
    "ipv4": is_ipv4,
    "ipv6": is_ipv6,
    "uri": _URI.is_absolute,
    "uri-reference": _URI.is_reference,
    "iri": _IRI.is_absolute,
    "iri-reference": _IRI.is_reference,
    "uri-template": is_uri_template,
    "uuid": is_uuid,
    "json-pointer": is_json_pointer,
    "relative-json-pointer": is_relative_json_pointer,
}

# One text of each format, for messages.
EXAMPLES: Final[Mapping[str, str]] = {
    "date": "2024-05-17",
    "time": "09:30:00Z",
    "date-time": "2024-05-17T09:30:00Z",
    "duration": "PT15M",
    "email": "name@example.com",
    "idn-email": "name@example.com",
    "hostname": "www.example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "uri": "https://example.com/page",
    "uri-reference": "/page",
    "iri": "https://example.com/page",
    "iri-reference": "/page",
    "uri-template": "/items/{id}",
    "uuid": "123e4567-e89b-12d3-a456-426614174000",
    "json-pointer": "/items/0",
    "relative-json-pointer": "1/name",
}
