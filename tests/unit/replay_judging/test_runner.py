"""Fixtures found, judged, compared with their pins, and pinned."""

import json
import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from support.builders import verdicts
from support.processes import privileges
from support.processes.here import put

from replay.corpus import discovery, pins
from replay.corpus.discovery import Plan
from replay.errors import ToolreelError
from replay.judging import runner
from replay.judging.comparison import explaining, pinning
from replay.judging.results import Outcome, Result
from replay.judging.run_options import Mode, Options, Orphans, Shard
from replay.shell import quoted
from replay.validator import Allowance, Code, Status

UPDATE = Options(mode=Mode.UPDATE)


def replay(*paths: str, options: Options | None = None) -> list[Result]:
    return list(runner.replay(discovery.find(map(Path, paths or ["."])), options or Options()))


def outcomes(*paths: str, options: Options | None = None) -> list[tuple[str, Outcome]]:
    return [(str(result.fixture), result.outcome) for result in replay(*paths, options=options)]


def pinned(name: str, data: bytes = verdicts.PASS, options: Options = UPDATE) -> Path:
    """A fixture and its pin."""
    path = put(name, data)
    assert [result.outcome for result in replay(name, options=options)] == [Outcome.PINNED]
    return path


# what is found


@pytest.mark.usefixtures("folder")
def test_a_folder_gives_all_fixtures_in_it_sorted_and_no_pin_as_a_fixture() -> None:
    for name in ("f/b.json", "f/a.json", "f/a/z.json", "f/a.expected.json", "f/note.txt", "f/c.sse"):
        put(name)
    assert discovery.find([Path("f")]) == Plan(fixtures=["f/a.json", "f/a/z.json", "f/b.json"], orphans=[])


@pytest.mark.usefixtures("folder")
def test_hidden_files_and_folders_are_passed_over() -> None:
    for name in ("f/a.json", "f/.a.json.1.tmp", "f/.b.json", "f/.venv/c.json"):
        put(name)
    assert discovery.find([Path("f")]).fixtures == ["f/a.json"]


@pytest.mark.usefixtures("folder")
def test_a_fixture_that_is_named_twice_is_judged_once() -> None:
    put("f/a.json")
    put("f/a.expected.json")
    found = discovery.find(map(Path, ["f/a.json", "f", "f/../f/a.json", "f/a.expected.json"]))
    assert found == Plan(fixtures=["f/a.json"], orphans=[])


@pytest.mark.usefixtures("folder")
def test_a_pin_without_its_fixture_is_an_orphan_and_one_beside_a_raw_body_is_not() -> None:
    for name in ("f/gone.expected.json", "f/body.expected.json", "f/body.sse", "f/a.json", "f/a.expected.json"):
        put(name)
    assert discovery.find([Path("f")]).orphans == ["f/gone.expected.json"]
    assert discovery.find([Path("f/gone.expected.json")]).orphans == ["f/gone.expected.json"]


@pytest.mark.usefixtures("folder")
def test_a_link_that_leads_back_up_is_walked_once() -> None:
    put("f/a.json")
    put("f/inner/b.json")
    Path("f/inner/up").symlink_to("..")
    assert [Path(path).name for path in discovery.find([Path("f")]).fixtures] == ["a.json", "b.json"]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("none", "none: no such file or folder; check the path"),
        ("none.json", "none.json: no such file or folder; check the path"),
        ("empty", "empty: no fixture (*.json) in this folder; check the path"),
        ("note.txt", "note.txt: not a fixture; fixtures end in .json"),
    ],
)
def test_a_path_that_cannot_be_meant_is_an_error(path: str, message: str) -> None:
    Path("empty").mkdir()
    put("note.txt")
    with pytest.raises(ToolreelError) as error:
        discovery.find([Path(path)])
    assert str(error.value) == message


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", ["f", "f/*.json", "f/body.expected.json"])
def test_pins_of_bodies_are_nothing_to_judge(name: str) -> None:
    put("f/body.expected.json")
    put("f/body.sse")
    with pytest.raises(ToolreelError) as error:
        discovery.find([Path(name)])
    assert str(error.value) == f"{name}: no fixture (*.json) here; check the path"
    put("f/a.json")
    assert discovery.find([Path(name), Path("f/a.json")]).fixtures == ["f/a.json"]


@pytest.mark.usefixtures("folder")
def test_a_folder_that_cannot_be_listed_is_an_error() -> None:
    put("f/inner/a.json")
    inner = Path("f/inner")
    inner.chmod(0)
    with privileges.given_up(), pytest.raises(ToolreelError) as error:
        discovery.find([inner])
    inner.chmod(0o755)
    assert str(error.value) == "f/inner: permission denied; check who may use it"


@pytest.mark.usefixtures("folder")
def test_a_folder_inside_that_cannot_be_listed_is_an_error(folder: Path) -> None:
    put("f/a.json")
    Path("f/inner").mkdir(mode=0)
    folder.chmod(0o755)
    with privileges.given_up(), pytest.raises(ToolreelError) as error:
        discovery.find([Path("f")])
    assert str(error.value) == "f/inner: this folder cannot be listed (Permission denied)"


# how a verdict compares


@pytest.mark.usefixtures("folder")
def test_a_fixture_without_pin_fails_with_the_command_that_writes_it() -> None:
    put("a b.json")
    [result] = replay("a b.json")
    assert result.outcome is Outcome.UNPINNED
    assert result.advice == "no pin beside it; to pin this verdict: toolreel replay --update 'a b.json'"
    assert not Path("a b.expected.json").exists()


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("data", "status"),
    [
        (verdicts.PASS, Status.PASS),
        (verdicts.TRUNCATED, Status.BLOCKED),
        (verdicts.TEXT, Status.NOT_APPLICABLE),
        (verdicts.INVALID, Status.INVALID),
        (b"\x00\xff binary", Status.INVALID),
        (b"", Status.INVALID),
    ],
)
def test_a_verdict_of_any_status_is_pinned_and_holds(data: bytes, status: Status) -> None:
    pinned("a.json", data)
    pin = pins.read(Path(discovery.pin_path("a.json")).read_bytes())
    assert pin.report.status is status
    [result] = replay("a.json")
    assert result == Result(fixture="a.json", outcome=Outcome.AS_PINNED, pinned=pin.report, found=pin.report)


@pytest.mark.usefixtures("folder")
def test_a_changed_verdict_fails_and_leaves_the_pin_alone() -> None:
    pinned("a.json", verdicts.PASS)
    before = Path("a.expected.json").read_bytes()
    put("a.json", verdicts.COLLISION)
    [result] = replay("a.json")
    assert result.outcome is Outcome.CHANGED
    assert result.pinned is not None
    assert result.found is not None
    assert (result.pinned.status, result.found.status) == (Status.PASS, Status.BLOCKED)
    assert result.advice == "to accept the new verdict: toolreel replay --update a.json"
    assert Path("a.expected.json").read_bytes() == before


@pytest.mark.usefixtures("folder")
def test_a_change_of_one_argument_character_is_a_change() -> None:
    pinned("a.json", verdicts.PASS)
    put("a.json", verdicts.PASS.replace(b"hi", b"ho"))
    assert outcomes("a.json") == [("a.json", Outcome.CHANGED)]


@pytest.mark.usefixtures("folder")
def test_an_update_writes_what_changed_and_nothing_else() -> None:
    pinned("kept.json")
    pinned("changed.json", verdicts.PASS)
    put("changed.json", verdicts.TRUNCATED)
    put("new.json", verdicts.TEXT)
    # A pin in another hand's formatting is a good pin, and stays as it is.
    kept = Path("kept.expected.json")
    kept.write_bytes(kept.read_bytes().replace(b'": ', b'" : '))
    before = kept.read_bytes()
    assert outcomes(options=UPDATE) == [
        ("changed.json", Outcome.REPINNED),
        ("kept.json", Outcome.AS_PINNED),
        ("new.json", Outcome.PINNED),
    ]
    assert kept.read_bytes() == before
    assert {outcome for _, outcome in outcomes()} == {Outcome.AS_PINNED}
    assert not [path for path in Path().iterdir() if path.name.startswith(".")]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("options", [Options(), UPDATE])
def test_an_orphan_pin_fails_with_the_command_that_removes_it_and_stays(options: Options) -> None:
    pinned("a.json")
    pinned("b c.json")
    Path("b c.json").unlink()
    [_, result] = replay(options=options)
    assert (result.fixture, result.outcome) == ("b c.json", Outcome.ORPHAN)
    assert (
        result.advice
        == "b c.json is not beside it; bring it back, or remove the pin: toolreel replay --prune 'b c.expected.json'"
    )
    assert Path("b c.expected.json").exists()


@pytest.mark.usefixtures("folder")
def test_outcomes_without_their_fixture_fail_with_the_command_that_removes_them() -> None:
    pinned("a.json")
    put("gone.adapters.json", b"{}")
    [_, result] = replay()
    assert (result.fixture, result.pin, result.outcome) == ("gone.json", "gone.adapters.json", Outcome.ORPHAN)
    assert result.advice.endswith("or remove the outcomes: toolreel replay --prune gone.adapters.json")
    assert outcomes("gone.adapters.json", options=Options(orphans=Orphans.PRUNE)) == [("gone.json", Outcome.PRUNED)]
    assert not Path("gone.adapters.json").exists()


# pins and files that cannot be used


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("options", [Options(), UPDATE])
@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (b"missing_terminal", b"future_code", "findings[0].code must be a known code, and 'future_code' is none"),
        (
            b'"rules": 2',
            b'"rules": 3',
            "made by version 3 of the rules, and this toolreel judges by version 2",
        ),
        (b"}\n", b"", "the file is not JSON (at character "),
        (b"blocked", b"\xffblocked", "the file is not UTF-8: a wrong byte at offset "),
    ],
)
def test_a_pin_that_cannot_be_compared_is_one_line_with_the_next_step(
    options: Options, old: bytes, new: bytes, problem: str
) -> None:
    pinned("a.json", verdicts.TRUNCATED)
    pinned("b.json")
    pin = Path("a.expected.json")
    broken = pin.read_bytes().replace(old, new)
    assert broken != pin.read_bytes()
    pin.write_bytes(broken)
    [result, other] = replay(options=options)
    assert result.outcome is Outcome.ERROR
    assert result.advice.startswith("a.expected.json: ")
    assert problem in result.advice
    assert result.advice.endswith("mend it, or delete it and run: toolreel replay --update a.json")
    newer = "upgrade toolreel (pip install --upgrade toolreel), or "
    assert (newer in result.advice) is (b"future_code" in new or b'"rules": 3' in new)
    assert "\n" not in result.advice
    assert other.outcome is Outcome.AS_PINNED
    assert pin.read_bytes() == broken


@pytest.mark.usefixtures("folder")
def test_a_fixture_that_cannot_be_read_is_an_error_and_the_rest_is_judged() -> None:
    pinned("b.json")
    Path("a.json").symlink_to("gone")
    os.mkfifo("c.json")
    found = replay()
    assert [(str(result.fixture), result.outcome) for result in found] == [
        ("a.json", Outcome.ERROR),
        ("b.json", Outcome.AS_PINNED),
        ("c.json", Outcome.ERROR),
    ]
    assert found[0].advice == "a.json: no such file or folder; check the path"
    assert found[2].advice == "c.json: is no regular file; copy what it gives into one"


@pytest.mark.usefixtures("folder")
def test_a_pin_that_is_a_folder_is_an_error_and_stays() -> None:
    put("a.json")
    put("a.expected.json/b.txt")
    [result] = replay("a.json", options=UPDATE)
    assert (result.outcome, result.advice) == (Outcome.ERROR, "a.expected.json: is a folder; name a file in it")
    assert Path("a.expected.json/b.txt").exists()


# what a fixture is judged with


@pytest.mark.usefixtures("folder")
def test_an_allowance_that_was_used_is_pinned_and_accepted_from_then_on() -> None:
    options = Options(accept=frozenset({Allowance.REPEATED_TERMINAL, Allowance.MESSAGE_MIRROR}), mode=Mode.UPDATE)
    pinned("a.json", verdicts.REPEATED, options)
    pinned("b.json", verdicts.PASS, options)
    pin = pins.read(Path("a.expected.json").read_bytes())
    assert pin.report.status is Status.PASS
    assert pin.accept == {Allowance.REPEATED_TERMINAL}
    assert pins.read(Path("b.expected.json").read_bytes()).accept == frozenset()
    assert {outcome for _, outcome in outcomes()} == {Outcome.AS_PINNED}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("data", [verdicts.PASS, verdicts.TWO_CALLS], ids=["one call", "two calls"])
def test_an_acceptance_of_a_pin_that_changes_nothing_is_told_and_removed_by_the_command_that_it_names(
    data: bytes,
) -> None:
    pin = pinned("a.json", data).with_name("a.expected.json")
    clean = pin.read_bytes()
    pin.write_bytes(pins.write(replace(pins.read(clean), accept=frozenset({Allowance.MESSAGE_MIRROR}))))
    [result] = replay()
    assert result.outcome is Outcome.AS_PINNED
    assert result.advice == (
        "accept in its pin names message_mirror, which changes nothing; to remove it: toolreel replay --update a.json"
    )
    assert outcomes(options=UPDATE) == [("a.json", Outcome.REPINNED)]
    assert pin.read_bytes() == clean


@pytest.mark.usefixtures("folder")
def test_of_two_acceptances_of_a_pin_only_the_one_that_changes_nothing_is_removed() -> None:
    both = frozenset({Allowance.REPEATED_TERMINAL, Allowance.MESSAGE_MIRROR})
    pinned("a.json", verdicts.REPEATED, Options(accept=both, mode=Mode.UPDATE))
    pin = Path("a.expected.json")
    pin.write_bytes(pins.write(replace(pins.read(pin.read_bytes()), accept=both)))
    [result] = replay(options=UPDATE)
    assert (result.outcome, result.advice) == (Outcome.REPINNED, "")
    assert pins.read(pin.read_bytes()).accept == {Allowance.REPEATED_TERMINAL}
    assert outcomes() == [("a.json", Outcome.AS_PINNED)]


@pytest.mark.usefixtures("folder")
def test_a_limit_that_was_set_is_pinned_and_one_of_the_command_counts_more() -> None:
    options = Options(limits={"max_slots": 1}, mode=Mode.UPDATE)
    pinned("a.json", verdicts.TWO_CALLS, options)
    assert pins.read(Path("a.expected.json").read_bytes()).limits == {"max_slots": 1}
    assert outcomes() == [("a.json", Outcome.AS_PINNED)]
    [result] = replay(options=Options(limits={"max_slots": 2}))
    assert result.outcome is Outcome.CHANGED
    assert result.found is not None
    assert result.found.status is Status.PASS


def test_the_command_to_run_judges_as_this_run_did() -> None:
    options = Options(
        accept=frozenset({Allowance.REPEATED_TERMINAL, Allowance.EMPTY_ARGUMENTS}), limits={"max_slots": 1}
    )
    assert options.update_command("-a.json") == (
        "toolreel replay --update --accept empty_arguments --accept repeated_terminal --limit max_slots=1 -- -a.json"
    )


@pytest.mark.parametrize("name", ["a b.json", "it's.json", "line\n\\'.json", "\x1b[31mé.json", "\udcff\u202e.json"])
def test_the_name_in_a_command_is_printable_and_means_the_file(name: str) -> None:
    word = quoted(name)
    assert word.isprintable()
    said = subprocess.run(["bash", "-c", f"printf %s {word}"], capture_output=True, check=True).stdout
    assert said == os.fsencode(name)


# versions


OLDER = (b'"rules": 2', b'"rules": 1')


@pytest.mark.usefixtures("folder")
def test_a_pin_of_older_rules_fails_and_says_how_to_move_it() -> None:
    pinned("a.json", verdicts.TRUNCATED)
    pin = Path("a.expected.json")
    older = pin.read_bytes().replace(*OLDER)
    pin.write_bytes(older)
    [result] = replay("a.json")
    assert result.outcome is Outcome.OUTDATED
    assert result.advice == (
        "the pin was made by version 1 of the rules, and this toolreel judges by version 2; "
        "to judge anew, and to see what moves: toolreel replay --update a.json"
    )
    assert pin.read_bytes() == older
    [result] = replay("a.json", options=UPDATE)
    assert result.outcome is Outcome.REPINNED
    assert result.pinned == result.found
    assert outcomes("a.json") == [("a.json", Outcome.AS_PINNED)]


@pytest.mark.usefixtures("folder")
def test_a_pin_of_older_rules_that_cannot_be_read_today_moves_too() -> None:
    pinned("a.json", verdicts.TRUNCATED)
    pin = Path("a.expected.json")
    pin.write_bytes(pin.read_bytes().replace(*OLDER).replace(b"missing_terminal", b"code_of_old"))
    [result] = replay("a.json")
    assert (result.outcome, result.pinned) == (Outcome.OUTDATED, None)
    assert [found.outcome for found in replay("a.json", options=UPDATE)] == [Outcome.REPINNED]
    assert outcomes("a.json") == [("a.json", Outcome.AS_PINNED)]


@pytest.mark.usefixtures("folder")
def test_a_pin_of_version_1_moves_to_what_version_2_says_and_the_run_shows_it() -> None:
    """A client that left after the finish reason: `missing_terminal` by version 1, a complete call by version 2."""
    left = json.dumps({**json.loads(verdicts.PASS), "capture": {"stream_end": "client_disconnected"}}).encode()
    pinned("a.json", left)
    pin = Path("a.expected.json")
    now = pin.read_bytes()
    before = json.loads(now) | {"status": "blocked", "executable": False, "rules": 1}
    before["findings"] = [{"code": "missing_terminal", "choice": None, "slot": None, "event": None}]
    pin.write_text(json.dumps(before))
    [result] = replay("a.json", options=UPDATE)
    assert result.outcome is Outcome.REPINNED
    assert [change.finding.code for change in result.gone] == [Code.MISSING_TERMINAL]
    assert (result.pinned and result.pinned.status, result.found and result.found.status) == (
        Status.BLOCKED,
        Status.PASS,
    )
    assert pin.read_bytes() == now


@pytest.mark.usefixtures("folder")
def test_who_asks_for_a_pin_alone_is_told_what_a_replay_tells() -> None:
    pinned("a.json", verdicts.TRUNCATED)
    pin = Path("a.expected.json")
    data = pin.read_bytes()
    assert pinning.pinned("a.json") == pins.read(data)
    for wrong in (b"[]", data.replace(*OLDER), data.replace(b'"rules": 2', b'"rules": 3'), None):
        pin.unlink()
        if wrong is not None:
            pin.write_bytes(wrong)
        [result] = replay("a.json")
        with pytest.raises(ToolreelError) as error:
            pinning.pinned("a.json")
        said = result.advice if result.outcome is Outcome.ERROR else f"a.json: {result.advice}"
        assert str(error.value) == said


NEWER = verdicts.fixture(verdicts.chunk({"content": "hi"}), fixture_version=2)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("options", [Options(), UPDATE])
def test_a_fixture_of_a_newer_version_is_an_error_and_is_not_pinned(options: Options) -> None:
    put("a.json", NEWER)
    [result] = replay("a.json", options=options)
    assert (result.outcome, result.advice) == (
        Outcome.ERROR,
        (
            "a.json: written in version 2 of the fixture format, and this toolreel reads version 1; "
            "upgrade it: pip install --upgrade toolreel"
        ),
    )
    assert not Path("a.expected.json").exists()


@pytest.mark.usefixtures("folder")
def test_a_fixture_of_a_newer_version_whose_pin_says_invalid_is_as_pinned() -> None:
    pinned("a.json", verdicts.INVALID)
    put("a.json", NEWER.replace(b'"openai"', b'"openai"'))
    assert outcomes("a.json") == [("a.json", Outcome.AS_PINNED)]


# the adapter


def from_client(version: str, **capture: object) -> bytes:
    return verdicts.fixture(
        verdicts.chunk({"content": "hi"}),
        capture={"adapter": {"name": "openai-python", "version": version}, **capture},
    )


@pytest.mark.usefixtures("folder")
def test_the_client_is_pinned_where_the_fixture_knows_it() -> None:
    pinned("a.json", from_client("1.2.3"))
    pin = pins.read(Path("a.expected.json").read_bytes())
    assert pin.adapter == pins.Adapter(name="openai-python", version="1.2.3")
    assert outcomes("a.json") == [("a.json", Outcome.AS_PINNED)]


@pytest.mark.usefixtures("folder")
def test_another_client_is_no_other_verdict_and_an_update_takes_it_over() -> None:
    pinned("a.json", from_client("1.2.3"))
    put("a.json", from_client("2.0.0"))
    assert outcomes("a.json") == [("a.json", Outcome.AS_PINNED)]
    [result] = replay("a.json", options=UPDATE)
    old, new = (pins.Adapter(name="openai-python", version=version) for version in ("1.2.3", "2.0.0"))
    assert (result.outcome, result.adapters) == (Outcome.REPINNED, (old, new))
    assert pins.read(Path("a.expected.json").read_bytes()).adapter == new


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("adapter", [None, "openai", {"name": "openai"}, {"name": 1, "version": "2"}, ["a", "b"]])
def test_an_adapter_in_another_shape_is_not_known(adapter: object) -> None:
    pinned("a.json", verdicts.fixture(verdicts.chunk({"content": "hi"}), capture={"adapter": adapter}))
    assert b"adapter" not in Path("a.expected.json").read_bytes()


# orphans and shards


@pytest.mark.usefixtures("folder")
def test_pruning_removes_orphans_and_nothing_else() -> None:
    pinned("a.json")
    pinned("f/b.json")
    Path("f/b.json").unlink()
    put("body.expected.json")
    put("body.sse")
    options = Options(orphans=Orphans.PRUNE)
    assert outcomes(options=options) == [("a.json", Outcome.AS_PINNED), ("f/b.json", Outcome.PRUNED)]
    assert not Path("f/b.expected.json").exists()
    assert Path("a.expected.json").exists()
    assert Path("body.expected.json").exists()


@pytest.mark.usefixtures("folder")
def test_a_pin_that_cannot_be_removed_is_an_error(folder: Path) -> None:
    put("f/b.expected.json")
    folder.chmod(0o755)
    Path("f").chmod(0o555)
    plan = discovery.find([Path("f")])
    with privileges.given_up():
        [result] = runner.replay(plan, Options(orphans=Orphans.PRUNE))
    Path("f").chmod(0o755)
    assert (result.outcome, result.advice) == (
        Outcome.ERROR,
        "f/b.expected.json: permission denied; check who may use it; it was not removed",
    )


def arguments(number: int) -> bytes:
    return verdicts.PASS.replace(b"hi", b"hi%d" % number)


@pytest.mark.usefixtures("folder")
def test_shards_share_the_fixtures_by_content_whatever_their_names() -> None:
    for number in range(40):
        put(f"{number:02}.json", arguments(number))
    put("gone.expected.json")
    Path("broken.json").symlink_to("nowhere")
    parts = [outcomes(options=Options(shard=Shard(number=part, of=4))) for part in (1, 2, 3, 4)]
    assert sorted(name for part in parts for name, _ in part) == sorted(name for name, _ in outcomes())
    assert all(len(part) > 2 for part in parts)
    assert {name for name, _ in parts[0]} >= {"gone.json", "broken.json"}
    where = next(at for at, part in enumerate(parts) if ("07.json", Outcome.UNPINNED) in part)
    put("elsewhere/renamed.json", arguments(7))
    moved = [outcomes("elsewhere", options=Options(shard=Shard(number=part, of=4))) for part in (1, 2, 3, 4)]
    assert [at for at, part in enumerate(moved) if part] == [where]


# what changed, and where


@pytest.mark.usefixtures("folder")
def test_a_changed_verdict_says_which_findings_are_new_and_which_are_gone_and_on_which_line() -> None:
    pinned("a.json", verdicts.COLLISION)
    put("a.json", verdicts.TRUNCATED)
    [result] = replay("a.json")
    [new], [gone] = result.new, result.gone
    assert (new.finding.code, new.finding.event) == (Code.MISSING_TERMINAL, None)
    assert new.finding.message
    assert (gone.finding.code, gone.finding.event, gone.finding.message) == (Code.IDENTITY_COLLISION, 1, "")
    starts = [at for at, line in enumerate(verdicts.TRUNCATED.splitlines(), 1) if line == b"  {"]
    assert (gone.line, new.line) == (starts[1], starts[-1])
    assert result.line == starts[1]


@pytest.mark.usefixtures("folder")
def test_a_call_that_differs_without_a_finding_is_pointed_at_where_it_parts() -> None:
    pinned("a.json", verdicts.PASS)
    changed = verdicts.PASS.replace(b"hi", b"ho")
    put("a.json", changed)
    [result] = replay("a.json")
    assert (result.outcome, result.new, result.gone) == (Outcome.CHANGED, (), ())
    [call] = result.calls
    assert (call.choice, call.slot) == (0, 0)
    assert [(moment.event, moment.fragment) for moment in call.moments if moment.here] == [(1, 'xt":"ho"}')]
    starts = [at for at, text in enumerate(changed.splitlines(), 1) if text == b"  {"]
    assert result.line == call.line == starts[1]
    pinned("b.json", verdicts.PASS)
    put("b.json", verdicts.COLLISION)
    assert replay("b.json")[0].calls == ()  # a finding tells of the slot


@pytest.mark.usefixtures("folder")
def test_a_file_that_is_no_json_is_pointed_at_where_it_breaks() -> None:
    pinned("a.json", verdicts.PASS)
    put("a.json", verdicts.PASS[:-30])
    [result] = replay("a.json")
    assert [change.finding.code for change in result.new] == [Code.INVALID_FIXTURE]
    assert result.line == verdicts.PASS[:-30].count(b"\n") + 1


@pytest.mark.usefixtures("folder")
def test_a_verdict_with_very_many_new_findings_is_told_within_bounds() -> None:
    pinned("a.json", verdicts.TEXT)
    many = [verdicts.chunk(verdicts.call("{", slot=slot, identity=f"call_{slot}")) for slot in range(200)]
    put("a.json", verdicts.fixture(*many))
    [result] = replay("a.json")
    assert result.found is not None
    assert len(result.found.findings) == 200
    assert len(result.new) == explaining.MAX_CHANGES
    assert sum(bool(change.moments) for change in result.new) == explaining.MAX_TIMELINES
