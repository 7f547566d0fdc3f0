"""`toolreel derive` as a user meets it: files, pins, words where something is wrong."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from support.nightly import at_night

from redaction.cli import scan
from replay.derive.cli import derive
from replay.derive.kinds import KINDS
from replay.derive.suite import bundled
from replay.judging.cli import coverage, replay
from replay.validator.profiles import PROFILES


def run(*arguments: object) -> Result:
    return CliRunner().invoke(derive, [str(argument) for argument in arguments], catch_exceptions=False)


@pytest.mark.parametrize("profile", at_night(PROFILES, but=("gemini", "ollama")))
def test_a_whole_suite_is_as_pinned_and_data_only_and_lacks_nothing(profile: str, tmp_path: Path) -> None:
    done = run("--profile", profile, "--out", tmp_path)
    assert (done.exit_code, done.stderr) == (0, "")
    fixtures = [path for path in tmp_path.glob("*.json") if not path.name.endswith(".expected.json")]
    assert len(fixtures) == sum(profile in kind.of for kind in KINDS.values())
    for command in (replay, scan):
        judged = CliRunner().invoke(command, [str(tmp_path)])
        assert judged.exit_code == 0, judged.output
    lines = CliRunner().invoke(coverage, [str(tmp_path)]).output.splitlines()
    assert f"{profile} lacks: nothing" in lines
    assert not lines[-1].startswith("to fill")


def test_a_fixture_says_what_it_was_derived_of_and_the_same_command_gives_the_same_bytes(tmp_path: Path) -> None:
    source = tmp_path / "turn.json"
    source.write_bytes(bundled("anthropic"))
    kinds = ("--kind", "late-id", "--kind", "json-comma", "--kind", "parallel")
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        assert run(source, *kinds, "--pairs", 2, "--out", folder).exit_code == 0
    names = sorted(path.name for path in folders[0].iterdir())
    # Anthropic's ids come with the start of a call, so there is no `late-id`.
    assert {name for name in names if "+" not in name} == {
        f"turn.{kind}{end}.json" for kind in ("json-comma", "parallel") for end in ("", ".expected")
    }
    assert len(names) == 8
    assert all((folders[0] / name).read_bytes() == (folders[1] / name).read_bytes() for name in names)
    told = json.loads((folders[0] / "turn.json-comma.json").read_bytes())["capture"]["derived"]
    assert told["kind"] == "json-comma"
    assert len(told["source"]) == 12


@pytest.mark.parametrize("profile", ["anthropic", "bedrock-converse"])
def test_of_payloads_in_a_carrier_each_kind_comes_in_that_carrier(profile: str, tmp_path: Path) -> None:
    turn = json.loads(bundled(profile))
    content_type = "application/vnd.amazon.eventstream"
    turn["transport"] = {"status": 200, "content_type": content_type, "framing": "eventstream-chunks", "done": 0}
    source = tmp_path / "turn.json"
    source.write_text(json.dumps(turn))
    done = run(source, "--out", tmp_path / "out")
    assert (done.exit_code, done.stderr) == (0, "")
    judged = CliRunner().invoke(replay, [str(tmp_path / "out")])
    assert judged.exit_code == 0, judged.output
    found = [json.loads(path.read_bytes()) for path in (tmp_path / "out").glob("*[!d].json")]
    assert len(found) > 80
    assert {(one["profile"], one["transport"]["framing"]) for one in found} == {(profile, "eventstream-chunks")}


def test_scan_finds_what_no_derived_fixture_says(tmp_path: Path) -> None:
    assert run("--profile", "ollama", "--kind", "equal-calls", "--out", tmp_path).exit_code == 0
    path = tmp_path / "ollama.equal-calls.json"
    for told in ("a secret", "equal-calls "):
        path.write_text(path.read_text("utf-8").replace('"kind":"equal-calls"', f'"kind":"{told}"'), "utf-8")
        assert CliRunner().invoke(scan, [str(path)]).exit_code == 1


def test_what_cannot_be_used_is_left_out_in_words(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "turn.json").write_bytes(bundled("openai"))
    (folder / "broken.json").write_text("{")
    done = run(folder, "--kind", "parallel", "--out", tmp_path / "out")
    assert done.exit_code == 0
    assert "broken.json is no fixture" in done.stderr
    assert "1 fixtures written" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "say where to write: --out DIR"),
        (("--out", "x", "--kind", "no-such"), "no-such is no kind; see: toolreel derive --list"),
        (("turn.json", "--profile", "openai", "--out", "x"), "leave it out, or the FIXTURE"),
    ],
)
def test_wrong_usage_is_told_in_one_line(
    arguments: tuple[str, ...], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run(*arguments)
    assert done.exit_code == 2
    assert words in done.stderr


def test_the_list_has_every_kind_with_its_families() -> None:
    lines = run("--list").stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(KINDS)
    assert next(line for line in lines if line.startswith("by-path")).endswith("(gemini)")
