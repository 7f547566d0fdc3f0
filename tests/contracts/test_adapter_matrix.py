"""The table of what clients make of the suite is what its outcomes give, and names the cases that there are."""

import json
import subprocess
import sys

from support import shared

from replay.adapters.table import ADAPTERS
from replay.derive.kinds import KINDS
from replay.diff.outcomes import Outcome
from replay.validator import Code

KEPT = json.loads((shared.ROOT / "tests" / "data" / "adapters" / "outcomes.json").read_text("utf-8"))
SEARCHED = json.loads((shared.ROOT / "tests" / "data" / "adapters" / "searches.json").read_text("utf-8"))


def test_what_was_searched_is_the_client_of_the_table_and_is_told_in_known_words() -> None:
    assert SEARCHED.keys() <= ADAPTERS.keys()
    assert {name: found["version"] for name, found in SEARCHED.items()}.items() <= KEPT["versions"].items()
    for found in SEARCHED.values():
        assert all(0 <= caught <= kinds for caught, kinds in found["scores"].values())
        for find in found["finds"]:
            assert find["kind"] in KINDS
            assert find["outcome"] in {outcome.value for outcome in Outcome}
            assert set(find["codes"]) <= {code.value for code in Code}


def test_the_page_is_what_the_outcomes_give() -> None:
    done = subprocess.run(
        [sys.executable, shared.ROOT / "scripts" / "adapter_matrix.py", "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_every_adapter_is_in_it_and_every_case_is_there() -> None:
    assert set(KEPT["versions"]) == set(ADAPTERS)
    cases = shared.ROOT / "tests" / "data" / "cases"
    assert all((cases / name).is_file() for name in KEPT["cases"])
    words = {outcome.value for outcome in Outcome}
    assert all(set(case["outcomes"].values()) <= words for case in KEPT["cases"].values())


def test_the_page_of_adapters_names_each_of_them() -> None:
    page = (shared.ROOT / "docs" / "adapters.md").read_text("utf-8")
    rows = {line.split("`")[1]: line for line in page.splitlines() if line.startswith("| `")}
    for name, known in ADAPTERS.items():
        assert f"`{known.needs}`" in rows[name]
        assert f"| {known.checks} |" in rows[name]


def test_no_adapter_is_without_a_control_in_all_of_its_cases() -> None:
    """An adapter of the table has handed over healthy calls: what it does not hand over says something."""
    # LiteLLM takes no call of this API that is streamed; the table says that its agreement says nothing.
    for name in ADAPTERS.keys() - {"litellm-cohere"}:
        words = [case["outcomes"][name] for case in KEPT["cases"].values() if name in case["outcomes"]]
        assert words.count("no_control") < len(words) / 3, name
