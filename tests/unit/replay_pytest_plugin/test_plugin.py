"""The pytest plugin, in runs of pytest of its own: each in a process and a project of its own."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest
from support.builders import verdicts
from support.nightly import nightly
from support.processes import command

ROOT: Final = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def pinned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of fixtures: two pinned, nothing else."""
    folder = tmp_path_factory.mktemp("pinned")
    (folder / "reels").mkdir()
    (folder / "reels" / "good.json").write_bytes(verdicts.PASS)
    (folder / "reels" / "cut.json").write_bytes(verdicts.TRUNCATED)
    assert replay(folder, "--update", "--in-ci", "reels").returncode == 0
    return folder / "reels"


@pytest.fixture
def project(tmp_path: Path, pinned: Path) -> Path:
    """A project with that folder, and settings that let nothing slip."""
    (tmp_path / "pyproject.toml").write_text(
        "[tool.pytest.ini_options]\naddopts = ['--strict-markers', '--strict-config']\nfilterwarnings = ['error']\n"
    )
    shutil.copytree(pinned, tmp_path / "reels")
    return tmp_path


def replay(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """What `toolreel replay` does with the arguments."""
    return command.run("replay", *arguments, folder=project)


def run(project: Path, *arguments: str, plugins: tuple[str, ...] = (), **variables: str) -> tuple[int, str]:
    """The exit code of pytest and what it printed; no plugin but ours and those that are named."""
    words = [part for plugin in ("replay.pytest_plugin", *plugins) for part in ("-p", plugin)]
    return command.pytest(
        *("-q", "-p", "no:cacheprovider", *words, *arguments),
        folder=project,
        variables={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT),
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            "COLUMNS": "200",
            **variables,
        },
    )


def counts(output: str) -> dict[str, int]:
    """The totals of the last line."""
    return {word.rstrip("s"): int(number) for number, word in re.findall(r"(\d+) (\w+)", output.splitlines()[-1])}


# collected fixtures


def test_each_fixture_is_a_test_that_its_verdict_is_as_pinned(project: Path) -> None:
    code, output = run(project, "--toolreel", "reels", "-vv")
    assert code == 0, output
    assert counts(output)["passed"] == 2
    assert "reels/cut.json::verdict PASSED" in output
    assert "reels/good.json::verdict PASSED" in output


def test_what_is_not_as_pinned_fails_with_what_replay_says_and_no_traceback(project: Path) -> None:
    (project / "reels" / "good.json").write_bytes(verdicts.COLLISION)
    (project / "reels" / "new.json").write_bytes(verdicts.TEXT)
    (project / "reels" / "gone.expected.json").write_bytes((project / "reels" / "cut.expected.json").read_bytes())
    (project / "reels" / "cut.expected.json").write_bytes(b"[]")
    code, output = run(project, "--toolreel", "reels")
    assert code == 1
    assert counts(output)["failed"] == 4
    assert "changed: reels/good.json\n" in output
    assert "> event 1  identity_collision" in output
    assert "no pin beside it; to pin this verdict: toolreel replay --update reels/new.json" in output
    assert "toolreel replay --prune reels/gone.expected.json" in output
    assert "reels/cut.expected.json: the file must be an object" in output
    assert "Traceback" not in output
    assert "NotAsPinnedError" not in output.partition("short test summary")[0]


def test_updating_writes_pins_and_the_next_run_passes(project: Path) -> None:
    (project / "reels" / "good.json").write_bytes(verdicts.COLLISION)
    (project / "reels" / "new.json").write_bytes(verdicts.TEXT)
    code, output = run(project, "--toolreel", "reels", "--toolreel-update", "-rP")
    assert code == 0, output
    assert "pinned anew: reels/good.json" in output
    code, output = run(project, "--toolreel", "reels")
    assert (code, counts(output)["passed"]) == (0, 3)


def test_pins_are_not_written_in_a_ci_job_unless_it_is_meant(project: Path) -> None:
    (project / "reels" / "new.json").write_bytes(verdicts.TEXT)
    code, output = run(project, "--toolreel", "reels", "--toolreel-update", CI="true")
    assert code == 4
    assert "or say that it is meant: --toolreel-in-ci" in output
    assert not (project / "reels" / "new.expected.json").exists()
    assert run(project, "--toolreel", "reels", "--toolreel-update", "--toolreel-in-ci", CI="true")[0] == 0


def test_a_path_that_is_not_there_is_a_usage_error(project: Path) -> None:
    code, output = run(project, "--toolreel", "rels")
    assert code == 4
    assert output.strip() == "ERROR: --toolreel: rels: no such file or folder; check the path"


def pin_copy(project: Path, *names: str) -> None:
    """Copies of a pinned fixture, with their folders."""
    for name in names:
        target = project / name
        target.parent.mkdir(parents=True, exist_ok=True)
        for suffix in (".json", ".expected.json"):
            shutil.copy(project / "reels" / f"good{suffix}", target.with_name(target.stem + suffix))


def test_what_is_collected_is_what_replay_judges(project: Path) -> None:
    skipped_by_pytest = ("build", "dist", "node_modules", "venv", "x.egg", "CVS", "_darcs", "deep/build/deep")
    pin_copy(project, *(f"reels/{folder}/a.json" for folder in skipped_by_pytest), "reels/.hidden/a.json")
    (project / "reels" / "venv" / "pyvenv.cfg").write_bytes(b"")
    (project / "reels" / "venv" / "test_of_somebody.py").write_text("def test_it(): assert False\n")
    (project / "reels" / "gone.expected.json").write_bytes((project / "reels" / "good.expected.json").read_bytes())
    (project / "reels" / "linked").symlink_to(project / "reels" / "build", target_is_directory=True)
    judged = json.loads(replay(project, "reels", "--report", "json").stdout)["results"]
    code, output = run(project, "--toolreel", "reels", "--collect-only")
    assert code == 0, output
    shown = [line.removesuffix("::verdict") for line in output.splitlines() if line.endswith("::verdict")]
    expected = [
        one["fixture"].replace(".json", ".expected.json") if one["outcome"] == "orphan" else one["fixture"]
        for one in judged
    ]
    assert len(expected) == 2 + len(skipped_by_pytest) + 1
    assert sorted(shown) == sorted(expected)


def test_a_pattern_and_a_pin_may_be_named_as_for_replay(project: Path) -> None:
    for named in ("reels/*.json", "reels/**/c*.json", "reels/good.expected.json"):
        judged = json.loads(replay(project, named, "--report", "json").stdout)["results"]
        code, output = run(project, "--toolreel", named)
        assert (code, counts(output)["passed"]) == (0, len(judged)), named


@pytest.mark.parametrize("named", ["empty", "notes.json.txt", "empty/*.json", "", "pyproject.toml", "no/such"])
def test_what_gives_nothing_is_refused_in_the_words_of_replay(project: Path, named: str) -> None:
    (project / "empty").mkdir()
    (project / "notes.json.txt").write_bytes(b"")
    said = replay(project, named)
    assert said.returncode == 2
    code, output = run(project, "--toolreel", named)
    assert code == 4
    assert output.strip() == f"ERROR: --toolreel: {said.stderr.strip().removeprefix('Error: ')}"


def test_updating_without_anything_named_is_a_usage_error(project: Path) -> None:
    code, output = run(project, "--toolreel-update")
    assert code == 4
    assert "--toolreel-update writes the pins of what --toolreel PATH names; name it" in output


@pytest.mark.parametrize("setting", ['toolreel = ["reels"]', 'addopts = ["--toolreel", "reels"]'])
def test_a_path_of_the_ini_file_is_found_from_every_folder(project: Path, setting: str) -> None:
    (project / "pyproject.toml").write_text(f"[tool.pytest.ini_options]\n{setting}\n")
    (project / "tests" / "inner").mkdir(parents=True)
    (project / "reels" / "good.json").write_bytes(verdicts.COLLISION)
    for folder, shown in ((project, "reels"), (project / "tests" / "inner", "../../reels")):
        code, output = run(folder)
        assert (code, counts(output)["failed"], counts(output)["passed"]) == (1, 1, 1), output
        assert f"changed: {shown}/good.json\n" in output


def test_the_option_counts_instead_of_the_setting(project: Path) -> None:
    code, output = run(project, "-o", "toolreel=reels", "--toolreel", "reels/cut.json")
    assert (code, counts(output)["passed"]) == (0, 1)


def test_a_wrong_path_of_the_ini_file_is_a_usage_error_that_says_so(project: Path) -> None:
    code, output = run(project, "-o", "toolreel=rels")
    assert code == 4
    assert output.strip() == "ERROR: the setting toolreel: rels: no such file or folder; check the path"


def test_a_fixture_of_the_setting_can_be_run_alone_by_the_name_of_its_test(project: Path) -> None:
    pin_copy(project, "reels/build/a.json")
    (project / "test_own.py").write_text("def test_own(): pass\n")
    for name in ("reels/good.json::verdict", "reels/build/a.json::verdict"):
        code, output = run(project, "-o", "toolreel=reels", name, "-v")
        assert (code, counts(output)["passed"]) == (0, 1), output
    code, output = run(project, "-o", "toolreel=reels", "test_own.py")
    assert (code, counts(output)["passed"]) == (0, 4)


def test_the_option_collects_all_that_it_names_once_whatever_else_is_named(project: Path) -> None:
    for named in (
        ["reels"],
        ["reels/good.json"],
        ["reels/good.json::verdict"],
        ["reels", "--toolreel", "reels/../reels"],
    ):
        code, output = run(project, "--toolreel", "reels", *named)
        assert (code, counts(output)["passed"]) == (0, 2), output


def test_the_hooks_of_a_conftest_count_for_the_fixtures_below_it(project: Path) -> None:
    for folder in ("", "reels", "reels/deep", "tests"):
        (project / folder).mkdir(exist_ok=True)
        hook = f"def pytest_runtest_setup(item): print('hook of <{folder}>', item.nodeid)\n"
        (project / folder / "conftest.py").write_text(hook)
    pin_copy(project, "reels/deep/a.json")
    (project / "tests" / "test_own.py").write_text("def test_own(): pass\n")
    code, output = run(project, "--toolreel", "reels", "tests/test_own.py", "-rP", "-k", "not cut")
    assert code == 0, output
    assert sorted(re.findall(r"hook of <(\S*)> (\S+)", output)) == [
        ("", "reels/deep/a.json::verdict"),
        ("", "reels/good.json::verdict"),
        ("", "tests/test_own.py::test_own"),
        ("reels", "reels/deep/a.json::verdict"),
        ("reels", "reels/good.json::verdict"),
        ("reels/deep", "reels/deep/a.json::verdict"),
        ("tests", "tests/test_own.py::test_own"),
    ]


def test_fixtures_outside_of_the_root_folder_have_names_of_their_own(project: Path) -> None:
    pin_copy(project, "out/a/same.json", "out/b/same.json")
    (project / "inner").mkdir()
    (project / "inner" / "pytest.ini").write_text("[pytest]\n")
    code, output = run(project / "inner", "--toolreel=../out", "--collect-only")
    assert code == 0, output
    assert re.findall(r"\S+::verdict", output) == ["::../out/a::same.json::verdict", "::../out/b::same.json::verdict"]


def test_the_tests_of_the_project_run_beside_the_fixtures_and_nothing_is_collected_twice(project: Path) -> None:
    (project / "test_own.py").write_text("def test_own(): pass\n")
    code, output = run(project, "--toolreel", "reels")
    assert (code, counts(output)["passed"]) == (0, 3)
    code, output = run(project, "test_own.py", "--toolreel", "reels/good.json")
    assert (code, counts(output)["passed"]) == (0, 2)
    code, output = run(project, "--toolreel", "reels", "-m", "toolreel")
    assert (code, counts(output)["passed"]) == (0, 2)


def test_the_settings_of_toolreel_are_collected_and_accepted_where_pytest_names_nothing(project: Path) -> None:
    (project / "toolreel.toml").write_text('[replay]\npaths = ["reels"]\naccept = ["repeated_terminal"]\n')
    code, output = run(project)
    assert (code, counts(output)["passed"]) == (0, 2)
    (project / "reels" / "again.json").write_bytes(verdicts.REPEATED)
    assert run(project, "--toolreel-update")[0] == 0
    assert '"accept": ["repeated_terminal"]' in (project / "reels" / "again.expected.json").read_text()
    assert replay(project).returncode == 0
    (project / "toolreel.toml").write_text("[replays]\n")
    code, output = run(project)
    assert (code, "toolreel.toml: unknown section 'replays'" in output) == (pytest.ExitCode.USAGE_ERROR, True)


def test_what_belongs_to_a_fixture_is_none(project: Path) -> None:
    (project / "reels" / "good.adapters.json").write_bytes(b"{}")
    (project / "reels" / ".hidden.json").write_bytes(b"{}")
    code, output = run(project, "--toolreel", "reels")
    assert (code, counts(output)["passed"]) == (0, 2)


def test_without_the_option_no_fixture_is_collected(project: Path) -> None:
    (project / "test_own.py").write_text("def test_own(): pass\n")
    code, output = run(project)
    assert (code, counts(output)["passed"]) == (0, 1)


# reels for tests of adapters

ADAPTER: Final = '''
import json
import pytest

def assembled(chunks):
    """The simplest adapter there is: joins what belongs to slot 0."""
    calls = [call for chunk in chunks for call in chunk["choices"][0]["delta"].get("tool_calls", [])]
    return "".join(call["function"]["arguments"] for call in calls)

@pytest.mark.toolreel("reels/good.json")
def test_marker(toolreel_chunks, toolreel_expected):
    assert json.loads(assembled(toolreel_chunks)) == {"text": "hi"}
    assert toolreel_expected.executable
    assert assembled(toolreel_chunks) == toolreel_expected.calls[0].arguments

@pytest.mark.toolreel("reels")
def test_folder(toolreel_reel):
    assert toolreel_reel.profile == "openai"
    assert toolreel_reel.coding == "identity"
    assert toolreel_reel.body.startswith(b"data: {")
    assert list(toolreel_reel.tool_schemas) == ["say"]
    assert toolreel_reel.chunks is toolreel_reel.payloads
    toolreel_reel.chunks.clear()

@pytest.mark.parametrize("toolreel_reel", ["reels/cut.json"], indirect=True)
def test_parameter(toolreel_reel, toolreel_expected):
    assert not toolreel_expected.executable
    assert toolreel_reel.path.name == "cut.json"

@pytest.mark.toolreel("reels/cut.json")
class TestClass:
    @pytest.mark.parametrize("other", [1, 2])
    def test_inside(self, toolreel_chunks, other):
        assert len(toolreel_chunks) == 2
'''


def test_a_test_gets_payloads_and_verdict_by_marker_or_by_parameter(project: Path) -> None:
    (project / "test_adapter.py").write_text(ADAPTER)
    code, output = run(project, "-vv")
    assert code == 0, output
    assert re.findall(r"test_\w+\.py::(\S+) PASSED", output) == [
        "test_marker[reels/good]",
        "test_folder[reels/cut]",
        "test_folder[reels/good]",
        "test_parameter[reels/cut.json]",
        "TestClass::test_inside[reels/cut-1]",
        "TestClass::test_inside[reels/cut-2]",
    ]


def test_events_are_given_for_profiles_that_have_them(project: Path) -> None:
    (project / "reels" / "ping.json").write_bytes(
        b'{"profile": "anthropic", "tool_schemas": {}, "events": [{"type": "ping"}]}'
    )
    (project / "test_adapter.py").write_text(
        "import pytest\n"
        "@pytest.mark.toolreel('reels/ping.json')\n"
        "def test_events(toolreel_events, toolreel_expected):\n"
        "    assert toolreel_events == [{'type': 'ping'}]\n"
        "    assert toolreel_expected.status == 'not_applicable'\n"
        "@pytest.mark.toolreel('reels/ping.json')\n"
        "def test_chunks(toolreel_chunks): pass\n"
    )
    run(project, "--toolreel", "reels", "--toolreel-update")
    code, output = run(project)
    assert code == 1
    assert (counts(output)["passed"], counts(output)["error"]) == (1, 1)
    assert "the profile anthropic has events; use toolreel_events" in output


@pytest.mark.parametrize(
    ("marker", "message"),
    [
        ("", "toolreel_reel: name a fixture: @pytest.mark.toolreel('reels/NAME.json')"),
        ("@pytest.mark.toolreel()", "name a fixture"),
        ("@pytest.mark.toolreel('reels/none.json')", "no such file or folder; check the path"),
        (
            "@pytest.mark.toolreel('reels/new.json')",
            "reels/new.json: no pin beside it; to pin this verdict: toolreel replay --update reels/new.json",
        ),
        ("@pytest.mark.toolreel('reels/good.json', network='some')", "network must be 'none' or 'loopback'"),
        (
            "@pytest.mark.toolreel('reels/good.json', network=None)",
            "network must be 'none' or 'loopback', and not None",
        ),
        ("@pytest.mark.toolreel(5)", "toolreel marker: 5 is no path; name a fixture"),
        ("@pytest.mark.toolreel('')", "toolreel marker: a path is empty; name a fixture"),
        ("@pytest.mark.toolreel('nope')", "toolreel marker: nope: no such file or folder; check the path"),
        (
            "@pytest.mark.toolreel('nope/*.json')",
            "nope/*.json: no fixture (*.json) matches this pattern; check the path",
        ),
        (
            "@pytest.mark.toolreel('reels/gone.expected.json')",
            "reels/gone.expected.json: a pin, and no fixture beside it",
        ),
        ("@pytest.mark.parametrize('toolreel_reel', [5], indirect=True)", "toolreel_reel: name a fixture"),
    ],
)
def test_what_cannot_be_given_is_said_with_the_next_step(project: Path, marker: str, message: str) -> None:
    (project / "reels" / "new.json").write_bytes(verdicts.TEXT)
    (project / "reels" / "gone.expected.json").write_bytes(b"{}")
    (project / "test_adapter.py").write_text(
        f"import pytest\n{marker}\ndef test_it(toolreel_reel): pass\ndef test_other(): pass\n"
    )
    code, output = run(project)
    assert (code, counts(output)) == (1, {"passed": 1, "error": 1}), output
    # The error is one line below its heading, and it names the test or the file.
    [error] = re.findall(r"^_+ ERROR at setup of test_it\S* _+\n(.*)\n=+ short test summary", output, re.MULTILINE)
    assert message in error
    assert error.startswith(("test_adapter.py::test_it", "reels/new.json: "))
    assert str(project) not in output


@pytest.mark.parametrize(
    ("pin", "message"),
    [
        (b"[]", "reels/good.expected.json: the file must be an object; mend it, or delete it and run: "),
        (b'{"rules": "x"}', "reels/good.expected.json: rules must be an integer of 0 or more; mend it, or delete it"),
        (
            b'{"rules": 999999}',
            "reels/good.expected.json: made by version 999999 of the rules, and this toolreel judges",
        ),
        (b'{"rules": 1}', "the pin was made by version 1 of the rules, and this toolreel judges by version "),
    ],
)
def test_a_pin_that_cannot_be_used_is_said_as_for_a_collected_fixture(project: Path, pin: bytes, message: str) -> None:
    (project / "reels" / "good.expected.json").write_bytes(pin)
    (project / "test_adapter.py").write_text(
        "import pytest\n@pytest.mark.toolreel('reels/good.json')\ndef test_it(toolreel_expected): pass\n"
    )
    code, output = run(project, "--toolreel", "reels/good.json", "--tb=short")
    assert (code, counts(output)) == (1, {"failed": 1, "error": 1})
    [error] = re.findall(r"^_+ ERROR at setup of test_it\S* _+\n(.*)\n=", output, re.MULTILINE)
    [failure] = re.findall(r"^_+ verdict of good.json _+\n((?:.+\n)*?)=", output, re.MULTILINE)
    assert message in error
    assert error.startswith("reels/good.")
    assert error.endswith("toolreel replay --update reels/good.json")
    assert error.removeprefix("reels/good.json: ") in failure


@pytest.mark.parametrize("distributed", [(), ("-n", "2")])
def test_a_wrong_marker_is_an_error_of_its_test_alone(project: Path, distributed: tuple[str, ...]) -> None:
    pytest.importorskip("xdist")
    (project / "test_own.py").write_text(
        "import pytest, socket\n"
        "@pytest.mark.toolreel(network='all')\n"
        "def test_network(): pass\n"
        "@pytest.fixture\n"
        "def connected(): socket.create_connection(('192.0.2.1', 80))\n"
        "@pytest.mark.toolreel(network='all')\n"
        "def test_nothing_is_made_for_it(connected): pass\n"
        "@pytest.mark.toolreel('nope')\n"
        "def test_path(toolreel_reel): pass\n"
        "def test_other(): pass\n"
    )
    code, output = run(project, "--toolreel", "reels", *distributed, plugins=("xdist",))
    assert (code, counts(output)) == (1, {"passed": 3, "error": 3}), output
    for test in ("test_network", "test_nothing_is_made_for_it"):
        assert (
            f"\ntest_own.py::{test}: toolreel marker: network must be 'none' or 'loopback', and not 'all'\n" in output
        )
    assert "\ntest_own.py::test_path: toolreel marker: nope: no such file or folder; check the path\n" in output
    assert "Traceback" not in output
    assert "INTERNALERROR" not in output


def test_messages_of_a_test_name_paths_from_the_working_folder(project: Path) -> None:
    (project / "tests").mkdir()
    (project / "reels" / "new.json").write_bytes(verdicts.TEXT)
    (project / "tests" / "test_own.py").write_text(
        "import pytest\n"
        "@pytest.mark.toolreel('reels/new.json', 'reels/good.json')\n"
        "def test_it(toolreel_events): pass\n"
    )
    for folder, reels in ((project, "reels"), (project / "tests", "../reels")):
        code, output = run(folder)
        assert (code, counts(output)) == (1, {"error": 2})
        assert f"\n{reels}/new.json: no pin beside it; " in output
        assert f"toolreel replay --update {reels}/new.json\n" in output
        assert f"\n{reels}/good.json: the profile openai has chunks; use toolreel_chunks\n" in output
        assert str(project) not in output


def test_a_test_that_works_in_another_folder_gets_its_fixture_all_the_same(project: Path) -> None:
    (project / "reels" / "new.json").write_bytes(verdicts.TEXT)
    (project / "test_own.py").write_text(
        "import pytest\n"
        "@pytest.fixture(autouse=True)\n"
        "def elsewhere(tmp_path, monkeypatch): monkeypatch.chdir(tmp_path)\n"
        "@pytest.mark.toolreel('reels/good.json', 'reels/new.json')\n"
        "def test_it(toolreel_chunks): pass\n"
        "@pytest.mark.toolreel('nope')\n"
        "def test_wrong(toolreel_chunks): pass\n"
    )
    code, output = run(project)
    assert (code, counts(output)) == (1, {"passed": 1, "error": 2})
    assert f"toolreel replay --update {project}/reels/new.json" in output
    assert f"test_own.py::test_wrong: toolreel marker: {project}/nope: no such file or folder" in output


def test_a_file_that_is_no_fixture_is_skipped_with_the_reason(project: Path) -> None:
    (project / "reels" / "broken.json").write_bytes(verdicts.INVALID)
    (project / "test_adapter.py").write_text(
        "import pytest\n@pytest.mark.toolreel('reels')\ndef test_it(toolreel_reel): pass\n"
    )
    code, output = run(project)
    assert (code, counts(output)) == (1, {"passed": 2, "error": 1})
    assert "reels/broken.json: no pin beside it; to pin this verdict: toolreel replay --update" in output
    replay(project, "--update", "--in-ci", "reels/broken.json")
    code, output = run(project, "-rs")
    assert (code, counts(output)["passed"], counts(output)["skipped"]) == (0, 2, 1)
    assert "broken.json is no fixture, so it streams nothing" in output


def test_an_acceptance_that_changes_nothing_is_a_warning_with_the_command_that_removes_it(project: Path) -> None:
    pin = project / "reels" / "good.expected.json"
    pin.write_text(pin.read_text().replace('"rules": 2', '"rules": 2,\n "accept": ["message_mirror"]'))
    code, output = run(project, "--toolreel", "reels/good.json", "-W", "default")
    assert (code, counts(output)) == (0, {"passed": 1, "warning": 1})
    assert "accept in its pin names message_mirror, which changes nothing; to remove it: toolreel replay" in output


# what is told


def test_a_failing_test_says_why_its_turn_may_not_be_executed_with_the_timeline(project: Path) -> None:
    (project / "test_adapter.py").write_text(
        "import pytest\n@pytest.mark.toolreel('reels')\ndef test_it(toolreel_expected): assert False\n"
    )
    (project / "reels" / "two.json").write_bytes(verdicts.COLLISION)
    replay(project, "--update", "--in-ci", "reels/two.json")
    _, output = run(project)
    told = output.partition("recorded turn")[2]
    assert "reels/cut.json: the turn may not be executed" in output
    assert "reels/good.json: the turn may be executed" in output
    assert '  call "say", id "call_1", choice 0, slot 0, validated, arguments {"text":"hi"}' in output
    assert "  identity_collision (choice 0, slot 0, event 1): the slot has an id or name and receives another" in output
    assert "  > event 1  identity_collision" in output
    assert "  explained by: toolreel rules identity_collision" in told
    assert "recorded turn" not in run(project, "--deselect", "test_adapter.py", "--toolreel", "reels")[1]


@pytest.mark.parametrize("distributed", [(), ("-p", "xdist", "-n", "2")], ids=["one process", "workers"])
def test_fixtures_that_no_test_used_are_named_and_fail_the_run(project: Path, distributed: tuple[str, ...]) -> None:
    if distributed:
        pytest.importorskip("xdist")
    (project / "test_adapter.py").write_text(
        "import pytest\n@pytest.mark.toolreel('reels/good.json')\ndef test_it(toolreel_chunks): pass\n"
    )
    code, output = run(project, "--toolreel", "reels", "--toolreel-unused", *distributed)
    assert code == pytest.ExitCode.TESTS_FAILED
    assert "toolreel: fixtures that no test used" in output
    assert re.findall(r"^reels/\S+\.json$", output, re.M) == ["reels/cut.json"]
    assert "1 fixture: name them in a test" in output
    code, output = run(project, "--toolreel", "reels/good.json", "--toolreel-unused", *distributed)
    assert (code, "no test used" in output) == (0, False)


def test_to_look_for_unused_fixtures_some_must_be_named(project: Path) -> None:
    code, output = run(project, "--toolreel-unused")
    assert code == pytest.ExitCode.USAGE_ERROR
    assert "--toolreel-unused looks at what --toolreel PATH names; name it" in output


# the network

NETWORK: Final = """
import asyncio, http.server, socket, sys, threading, urllib.request
import pytest
from replay.pytest_plugin.network import NetworkBlockedError

@pytest.fixture
def server():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()

@pytest.mark.toolreel
@pytest.mark.parametrize("use", [
    lambda at: socket.create_connection(at),
    lambda at: socket.create_connection(("192.0.2.1", 80)),
    lambda at: socket.getaddrinfo("example.invalid", 443),
    lambda at: socket.gethostbyname("example.invalid"),
    lambda at: socket.gethostbyname_ex("example.invalid"),
    lambda at: socket.gethostbyaddr("192.0.2.1"),
    lambda at: socket.getfqdn("192.0.2.1"),
    lambda at: socket.getnameinfo(("192.0.2.1", 53), 0),
    lambda at: socket.getnameinfo(at, 0),
    lambda at: socket.socket().connect_ex(at),
    lambda at: sys.audit("socket.of_a_later_python"),
    lambda at: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", at),
    lambda at: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendmsg([b"x"], [], 0, at),
    lambda at: urllib.request.urlopen(f"http://{at[0]}:{at[1]}/"),
    lambda at: asyncio.run(asyncio.open_connection(*at)),
])
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_everything_is_blocked(server, use):
    with pytest.raises(NetworkBlockedError, match="network='loopback'"):
        use(server)

@pytest.mark.toolreel
@pytest.mark.parametrize("address", [("", 0), ("0.0.0.0", 0), ("192.0.2.1", 0)])
def test_nothing_can_be_reached_from_the_network(address):
    with socket.socket() as own, pytest.raises(NetworkBlockedError, match="bind a loopback address: 127.0.0.1 or ::1"):
        own.bind(address)

@pytest.mark.toolreel
def test_threads_are_blocked(server):
    caught = []
    def connect():
        try:
            socket.create_connection(server)
        except NetworkBlockedError as error:
            caught.append(error)
    thread = threading.Thread(target=connect)
    thread.start()
    thread.join()
    assert caught

@pytest.mark.toolreel
def test_what_is_no_network_works(tmp_path, monkeypatch):
    left, right = socket.socketpair()
    left.send(b"x")
    assert right.recv(1) == b"x"
    left.close()
    right.close()
    asyncio.run(asyncio.sleep(0))
    with socket.socket(socket.AF_UNIX) as listening, socket.socket(socket.AF_UNIX) as own:
        monkeypatch.chdir(tmp_path)  # the whole path may be too long for a socket
        listening.bind("own")
        listening.listen()
        own.connect("own")
    assert socket.getservbyname("http") == 80
    assert socket.getservbyport(80) == "http"
    assert socket.gethostname()

@pytest.mark.toolreel(network="loopback")
def test_this_machine_may_be_left_reachable(server):
    socket.create_connection(server).close()
    socket.create_connection(("localhost", server[1])).close()
    assert socket.getnameinfo(server, socket.NI_NUMERICHOST)[0] == "127.0.0.1"
    assert socket.gethostbyname("localhost")
    assert socket.gethostbyaddr("127.0.0.1")
    with http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler):
        pass
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own:
        own.bind(("localhost", 0))
        own.sendmsg([b"x"], [], 0, own.getsockname())
        assert own.recv(1) == b"x"

@pytest.mark.toolreel(network="loopback")
@pytest.mark.parametrize("use", [
    lambda: socket.create_connection(("192.0.2.1", 80)),
    lambda: socket.getnameinfo(("192.0.2.1", 53), 0),
    lambda: socket.gethostbyaddr("192.0.2.1"),
    lambda: socket.getaddrinfo("example.invalid", 443),
    lambda: socket.socket().bind(("", 0)),
    lambda: socket.create_server(("0.0.0.0", 0)),
])
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_this_machine_is_all_that_is_left_reachable(use):
    with pytest.raises(NetworkBlockedError):
        use()

def test_other_tests_are_left_alone(server):
    socket.create_connection(server).close()
"""


def test_marked_tests_have_no_network_and_others_have_it(project: Path) -> None:
    (project / "test_network.py").write_text(NETWORK)
    code, output = run(project)
    assert code == 0, output
    assert counts(output)["passed"] == 28


# beside others


@pytest.mark.parametrize("distributed", [(), ("-n", "2")])
@pytest.mark.parametrize(
    ("settings", "arguments"),
    [
        ("", ("--toolreel", "reels", "tests/test_a.py")),
        pytest.param("addopts = ['--toolreel', 'reels']\ntestpaths = ['tests']\n", (), marks=nightly),
        pytest.param("toolreel = ['reels']\ntestpaths = ['tests']\n", (), marks=nightly),
        pytest.param("toolreel = ['reels']\n", ("tests/test_a.py",), marks=nightly),
        ("toolreel = ['reels']\n", ("tests/test_a.py", "reels/good.json::verdict", "reels/cut.json::verdict")),
    ],
)
def test_workers_collect_the_same_as_a_run_without_them(
    project: Path, settings: str, arguments: tuple[str, ...], distributed: tuple[str, ...]
) -> None:
    pytest.importorskip("xdist")
    (project / "pyproject.toml").write_text(f"[tool.pytest.ini_options]\n{settings}")
    (project / "tests").mkdir()
    (project / "tests" / "test_a.py").write_text("def test_a(): pass\n")
    code, output = run(project, *arguments, *distributed, plugins=("xdist",))
    assert (code, counts(output)["passed"]) == (0, 3), output


@pytest.mark.parametrize(
    ("plugins", "arguments"),
    [
        pytest.param(("xdist",), ("-n", "2"), marks=nightly),
        pytest.param(("pytest_randomly",), (), marks=nightly),
        (("xdist", "pytest_randomly"), ("-n", "2")),
    ],
)
def test_it_works_beside_xdist_and_randomly(
    project: Path, plugins: tuple[str, ...], arguments: tuple[str, ...]
) -> None:
    for plugin in plugins:
        pytest.importorskip(plugin)
    (project / "test_adapter.py").write_text(ADAPTER)
    (project / "test_network.py").write_text(NETWORK)
    (project / "reels" / "changed.json").write_bytes(verdicts.COLLISION)
    (project / "reels" / "changed.expected.json").write_bytes((project / "reels" / "good.expected.json").read_bytes())
    code, output = run(project, "--toolreel", "reels", *arguments, plugins=plugins)
    assert code == 1
    assert (counts(output)["failed"], counts(output)["passed"]) == (1, 37), output
    assert "changed: reels/changed.json" in output


def test_a_run_that_uses_none_of_it_loads_none_of_it(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "FORKS", False)  # the process to fork from has loaded it
    (project / "test_own.py").write_text(
        "import sys\n"
        "def test_own():\n"
        "    assert [name for name in sys.modules if name.startswith('replay.')] == ['replay.pytest_plugin']\n"
    )
    code, output = run(project)
    assert code == 0, output


def test_pytest_finds_the_plugin_by_itself_where_toolreel_is_installed() -> None:
    from importlib.metadata import entry_points

    found = {point.value for point in entry_points(group="pytest11") if point.name == "toolreel"}
    if not found:
        pytest.skip("toolreel was installed before it had the plugin, or is not installed")
    assert found == {"toolreel.pytest_plugin"}
