import json
from pathlib import Path

import pytest

from replay.validator import Allowance, Limits
from replay.validator.command import Style, UsageError, allowances, limits, printable, read, run

FIXTURE = {
    "profile": "openai",
    "tool_schemas": {"f": {}},
    "chunks": [
        {
            "choices": [
                {
                    "delta": {"tool_calls": [{"index": 0, "id": "i", "function": {"name": "f", "arguments": "{}"}}]},
                    "finish_reason": "tool_calls",
                }
            ]
        }
    ],
}


@pytest.fixture
def fixture(tmp_path: Path) -> str:
    path = tmp_path / "one.json"
    path.write_text(json.dumps(FIXTURE))
    return str(path)


def test_a_text_report_says_the_verdict_then_each_call_and_finding(fixture: str) -> None:
    good = run([fixture], style=Style.TEXT, limits=Limits())
    assert good.lines == (
        f"{fixture}: pass, 1 call, executable",
        "  call f (i, choice 0, slot 0): validated  {}",
    )
    bad = run([fixture], style=Style.TEXT, limits=Limits(max_slots=0))
    assert bad.exit_code == 1
    assert bad.lines[0] == f"{fixture}: blocked"
    assert bad.lines[1].startswith("  limit_exceeded (event 0): ")


def test_one_fixture_is_one_json_object_and_several_are_an_array_that_names_them(fixture: str) -> None:
    one = json.loads("\n".join(run([fixture], style=Style.JSON, limits=Limits()).lines))
    two = json.loads("\n".join(run([fixture, fixture], style=Style.JSON, limits=Limits()).lines))
    assert one["status"] == "pass"
    assert two == [{"fixture": fixture, **one}] * 2


def test_limits_and_allowances_are_read_by_name() -> None:
    assert limits(["max_slots=3", "max_nesting=0", "max_slots=4"]) == Limits(max_slots=4, max_nesting=0)
    assert allowances(["message_mirror", "message_mirror"]) == {Allowance.MESSAGE_MIRROR}


@pytest.mark.parametrize(
    "text", ["", "max_slots", "max_slots=", "max_slots=-1", "max_slots=1e3", "slots=1", "max_slots=٣"]
)
def test_a_wrong_limit_is_a_usage_error_that_says_what_is_right(text: str) -> None:
    with pytest.raises(UsageError, match=r"NAME=N|integer"):
        limits([text])


def test_a_wrong_allowance_is_a_usage_error_and_cannot_drive_a_terminal() -> None:
    with pytest.raises(UsageError) as caught:
        allowances(["\x1b[2J"])
    assert "message_mirror" in str(caught.value)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("path", ["missing.json", ".", "nul\0byte"])
def test_a_path_that_cannot_be_read_is_a_usage_error_that_names_it(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError) as caught:
        read(path)
    assert printable(path) in str(caught.value)
    assert str(caught.value).isprintable()


def test_a_file_without_end_is_not_read_to_it() -> None:
    endless = Path("/dev/zero")
    if not endless.exists():
        pytest.skip("this system has no /dev/zero")
    with pytest.raises(UsageError, match="larger"):
        read(str(endless))


def test_printable_text_stays_and_the_rest_is_escaped() -> None:
    assert printable('a "é" \\ 漢') == 'a "é" \\ 漢'
    assert printable("\x1b\n\x9b\u202e\ud800\U000e0001") == "\\x1b\\n\\x9b\\u202e\\ud800\\U000e0001"
