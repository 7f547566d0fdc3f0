"""The report as SARIF 2.1.0: a result for each annotation at its line, and the rule pages as the rules' help."""

from __future__ import annotations

import importlib.metadata
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from replay.terminal import printable_json
from replay.validator import Code
from replay.validator.rules import page, summary

from . import file_annotations

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from replay.judging.results import Result

    from .file_annotations import FileAnnotation
    from .totals import Totals

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


class Report:
    """The log, written as results come in."""

    def __init__(self) -> None:
        self._rules = list(file_annotations.codes())
        self._comma = ""

    def begin(self) -> Iterator[str]:
        """The tool and its rules; the list of results is open."""
        driver = {"name": "toolreel", **_version(), "rules": [rule(name) for name in self._rules]}
        yield "{"
        yield f' "$schema": "{SCHEMA}",'
        yield ' "version": "2.1.0",'
        yield ' "runs": [{'
        yield f'  "tool": {{"driver": {printable_json(driver)}}},'
        yield '  "columnKind": "unicodeCodePoints",'
        yield '  "results": ['

    def result(self, one: Result) -> Iterator[str]:
        """The annotations of one result, one to a line."""
        for annotation in file_annotations.of(one):
            yield f"   {self._comma}{printable_json(self._members(annotation))}"
            self._comma = ","

    def end(self, totals: Totals) -> Iterator[str]:  # noqa: ARG002 - one shape for all reports
        """The log is closed."""
        yield "  ]"
        yield " }]"
        yield "}"

    def _members(self, annotation: FileAnnotation) -> dict[str, object]:
        place = {
            "artifactLocation": {"uri": quote(os.fsencode(Path(annotation.path).as_posix())), "uriBaseId": "%SRCROOT%"},
            "region": {"startLine": annotation.line},
        }
        return {
            "ruleId": annotation.rule,
            "ruleIndex": self._rules.index(annotation.rule),
            "level": "error",
            "message": {"text": annotation.message},
            "locations": [{"physicalLocation": place}],
        }


def rule(name: str) -> dict[str, object]:
    """The metadata of one rule. That of a finding code has the code's page for its help."""
    own = {rule: (means, step) for rule, means, step in file_annotations.RULES.values()}
    if name in own:
        means, step = own[name]
        return {"id": name, "shortDescription": {"text": means}, "help": {"text": step, "markdown": step}}
    text = page(Code(name))
    return {
        "id": name,
        "shortDescription": {"text": summary(Code(name))},
        "help": {"text": text, "markdown": text},
    }


def _version() -> Mapping[str, str]:
    try:
        return {"semanticVersion": importlib.metadata.version("toolreel")}
    except importlib.metadata.PackageNotFoundError:
        return {}
