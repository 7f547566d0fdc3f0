"""The outcomes of clients that stand beside a fixture (`NAME.adapters.json`): names, versions and words, nothing else.

In: the bytes of the file. Out: the classes of the places that are not of its closed form. None of it was ever captured:
names and versions are those of software. Example: `{"format": 1, "adapters": {"openai": {"2.8.0": "agree"}}}`.
"""

import json
import re
from collections.abc import Iterator
from typing import Final

from replay.validator.strict_json import parse

FORMAT: Final = 1
WORDS: Final = frozenset({"agree", "unsafe", "wrong", "lost", "crash", "hang", "split"})
ADAPTER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]{0,63}\Z")
# Numbers, the words of releases, and the commit that one was built from; of several clients, all in one.
_NUMBER: Final = r"[0-9]{1,8}(?:(?:a|b|c|rc)[0-9]{1,4})?"
_WORD: Final = r"(?:a|b|c|rc|alpha|beta|pre|preview|next|canary|dev|post|d|cu|cpu)[0-9]{0,8}|g?[0-9a-f]{7,12}"
VERSION: Final = re.compile(rf"unversioned\Z|(?!.{{65}}){_NUMBER}(?:[.+-](?:{_NUMBER}|{_WORD}))*\Z")
_MAX_NESTING: Final = 8


def leaks(data: bytes) -> Iterator[str]:
    """The class of each place that holds anything else."""
    try:
        parsed = parse(data.decode("utf-8"), max_nesting=_MAX_NESTING)
    except UnicodeDecodeError:
        yield "file"
        return
    value = parsed.value
    if parsed.code is not None or not isinstance(value, dict) or set(value) != {"format", "adapters"}:
        yield "file"
        return
    if type(value["format"]) is not int or value["format"] != FORMAT:
        yield "format"
    adapters = value["adapters"]
    if not isinstance(adapters, dict):
        yield "adapters"
        return
    for name, versions in adapters.items():
        if not ADAPTER.match(name):
            yield "adapter name"
        if not isinstance(versions, dict):
            yield "adapter"
            continue
        if not versions:
            yield "adapter without a version"
        for version, word in versions.items():
            if not VERSION.match(version):
                yield "adapter version"
            if not isinstance(word, str) or word not in WORDS:
                yield "outcome"


def laid_out(data: bytes) -> bytes:
    """The bytes that `diff` writes for the outcomes in `data`, which are of the form: one adapter a line, ASCII."""
    value = json.loads(data)
    lines = (f"  {json.dumps(name)}: {json.dumps(versions)}" for name, versions in value["adapters"].items())
    return (f'{{\n "format": {FORMAT},\n "adapters": {{\n' + ",\n".join(lines) + "\n }\n}\n").encode("ascii")
