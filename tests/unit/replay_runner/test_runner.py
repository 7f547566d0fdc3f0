"""Fixtures found, judged, compared with their pins, and pinned."""

import os
from pathlib import Path

import pytest
from support import privileges, verdicts

from replay import pins, runner
from replay.errors import ToolreelError
from replay.runner import Mode, Options, Outcome, Plan, Result
from replay.validator import Allowance, Status

UPDATE = Options(mode=Mode.UPDATE)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder: paths in results are as they were given, so tests give relative ones."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(name: str, data: bytes = verdicts.PASS) -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def replay(*paths: str, options: Options | None = None) -> list[Result]:
    return list(runner.replay(runner.find(map(Path, paths or ["."])), options or Options()))


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
    assert runner.find([Path("f")]) == Plan(
        fixtures=list(map(Path, ("f/a.json", "f/a/z.json", "f/b.json"))), orphans=[]
    )


@pytest.mark.usefixtures("folder")
def test_hidden_files_and_folders_are_passed_over() -> None:
    for name in ("f/a.json", "f/.a.json.1.tmp", "f/.b.json", "f/.venv/c.json"):
        put(name)
    assert runner.find([Path("f")]).fixtures == [Path("f/a.json")]


@pytest.mark.usefixtures("folder")
def test_a_fixture_that_is_named_twice_is_judged_once() -> None:
    put("f/a.json")
    put("f/a.expected.json")
    found = runner.find(map(Path, ["f/a.json", "f", "f/../f/a.json", "f/a.expected.json"]))
    assert found == Plan(fixtures=[Path("f/a.json")], orphans=[])


@pytest.mark.usefixtures("folder")
def test_a_pin_without_its_fixture_is_an_orphan_and_one_beside_a_raw_body_is_not() -> None:
    for name in ("f/gone.expected.json", "f/body.expected.json", "f/body.sse", "f/a.json", "f/a.expected.json"):
        put(name)
    assert runner.find([Path("f")]).orphans == [Path("f/gone.expected.json")]
    assert runner.find([Path("f/gone.expected.json")]).orphans == [Path("f/gone.expected.json")]


@pytest.mark.usefixtures("folder")
def test_a_link_that_leads_back_up_is_walked_once() -> None:
    put("f/a.json")
    put("f/inner/b.json")
    Path("f/inner/up").symlink_to("..")
    assert [path.name for path in runner.find([Path("f")]).fixtures] == ["a.json", "b.json"]


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
        runner.find([Path(path)])
    assert str(error.value) == message


@pytest.mark.usefixtures("folder")
def test_a_folder_that_cannot_be_listed_is_an_error() -> None:
    put("f/inner/a.json")
    inner = Path("f/inner")
    inner.chmod(0)
    with privileges.given_up(), pytest.raises(ToolreelError) as error:
        runner.find([inner])
    inner.chmod(0o755)
    assert str(error.value) == "f/inner: permission denied; check who may use it"


@pytest.mark.usefixtures("folder")
def test_a_folder_inside_that_cannot_be_listed_is_an_error(folder: Path) -> None:
    put("f/a.json")
    Path("f/inner").mkdir(mode=0)
    folder.chmod(0o755)
    with privileges.given_up(), pytest.raises(ToolreelError) as error:
        runner.find([Path("f")])
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
    path = pinned("a.json", data)
    pin = pins.read(runner.pin_path(path).read_bytes())
    assert pin.report.status is status
    [result] = replay("a.json")
    assert result == Result(fixture=path, outcome=Outcome.AS_PINNED, pinned=pin.report, found=pin.report)


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
    assert (result.fixture, result.outcome) == (Path("b c.json"), Outcome.ORPHAN)
    assert result.advice == "b c.json is not beside it; bring it back, or remove the pin: rm 'b c.expected.json'"
    assert Path("b c.expected.json").exists()


# pins and files that cannot be used


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("options", [Options(), UPDATE])
@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (b"missing_terminal", b"future_code", "findings[0].code must be a known code, and 'future_code' is none"),
        (
            b'"rules": 1',
            b'"rules": 2',
            "made by version 2 of the rules, and this toolreel judges by version 1",
        ),
        (b"}\n", b"", "no strict JSON"),
        (b"blocked", b"\xffblocked", "is no UTF-8"),
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
    assert result.advice.endswith("; mend it, or delete it and run: toolreel replay --update a.json")
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
    assert options.update_command(Path("-a.json")) == (
        "toolreel replay --update --accept empty_arguments --accept repeated_terminal --limit max_slots=1 -- -a.json"
    )
