"""The tour leads through code that is there: its links, the names that it gives them, and its diagram."""

import re

import pytest
from support.shared import ROOT

PAGE = (ROOT / "docs" / "tour.md").read_text("utf-8")
LINKS = re.findall(r"\[`([^`]+)`\]\(\.\./([^)]+)\)", PAGE)
DIAGRAM = PAGE.partition("```text\n")[2].partition("```")[0]
PACKAGES = ("proxy_addon", "redaction", "replay")


@pytest.mark.parametrize(("name", "path"), sorted(set(LINKS)))
def test_a_link_names_a_file_or_what_the_file_defines(name: str, path: str) -> None:
    target = ROOT / path
    assert target.exists()
    if name.endswith((".py", "/")):
        assert path.endswith(name.rstrip("/"))
        return
    text = target.read_text("utf-8")
    for part in name.split("."):
        assert re.search(rf"^\s*(?:def|class) {part}\b|^{part}: Final", text, re.MULTILINE), f"{path}: {part}"


def test_every_module_of_the_diagram_is_there() -> None:
    modules = {name.strip() for names in re.findall(r"\[([a-z_, /]+)\]", DIAGRAM) for name in names.split(",")}
    there = {path.stem for package in PACKAGES for path in (ROOT / package).rglob("*.py")}
    there |= {f"{path.name}/" for package in PACKAGES for path in (ROOT / package).rglob("*") if path.is_dir()}
    assert len(modules) > 20
    assert modules - there == {"validator"}
    assert (ROOT / "replay" / "validator").is_dir()


def test_it_has_five_files_to_start_with_and_ten_steps() -> None:
    start = PAGE.partition("## Where to start reading")[2].partition("\n## ")[0]
    assert re.findall(r"^(\d)\. \[`\w+\.py`\]", start, re.MULTILINE) == list("12345")
    assert re.findall(r"^\*\*(\d+)\. ", PAGE, re.MULTILINE) == [str(number) for number in range(1, 11)]


def test_every_test_that_it_names_is_there() -> None:
    named = set(re.findall(r"tests/[\w/.]+", PAGE))
    assert named
    assert [path for path in sorted(named) if not (ROOT / path.rstrip(".")).exists()] == []


def test_who_wants_to_contribute_is_led_to_it_first() -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)", (ROOT / "CONTRIBUTING.md").read_text("utf-8"))
    assert links[0] == "docs/tour.md"
    assert all((ROOT / link).exists() for link in links)
