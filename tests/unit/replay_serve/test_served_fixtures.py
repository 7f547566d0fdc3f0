"""Files to reels: texts or paths, each once."""

import json
from pathlib import Path

from replay.serve import served_fixtures
from replay.serve.answers import Answers
from replay.serve.http1 import Request
from replay.serve.matching import FixtureMatcher

FIXTURE = json.dumps({"profile": "openai", "tool_schemas": {}, "chunks": []})


def test_texts_and_paths_are_taken_alike_and_each_file_once(tmp_path: Path) -> None:
    one = tmp_path / "one.json"
    one.write_text(FIXTURE)
    found = served_fixtures.fill([str(one), one])
    assert [reel.name for reel in found.fixtures] == ["one"]
    assert found.paths == (str(one),)
    assert found == served_fixtures.fill([one])


def test_every_file_is_served_by_its_name_and_turns_stay_in_their_folder(tmp_path: Path) -> None:
    files = [
        tmp_path / name for name in ("one/x.json", "one/x-2.json", "two/x.json", "a.b.json", "a/b.json", "c/b.json")
    ]
    for file in files:
        file.parent.mkdir(exist_ok=True)
        file.write_text(FIXTURE)
    found = served_fixtures.fill(files)
    answers = Answers(FixtureMatcher(found.fixtures))

    def served(case: str) -> list[str | None]:
        asked = Request(method="POST", target=f"/case/{case}/v1/chat/completions", body=b'{"stream":true}')
        return [answers.answer(asked).fixture for _ in range(3)]

    assert served("one.x") == ["one.x", "one.x-2", "one.x"]
    assert served("two.x") == ["two.x"] * 3
    assert [served(reel.name)[0] for reel in found.fixtures if reel.name != "one.x"] == [
        reel.name for reel in found.fixtures if reel.name != "one.x"
    ]


def test_a_fixture_that_names_no_provider_is_of_the_one_whose_api_it_is(tmp_path: Path) -> None:
    for name, profile, array in (("a", "openai", "chunks"), ("b", "openai-responses", "events")):
        (tmp_path / f"{name}.json").write_text(json.dumps({"profile": profile, "tool_schemas": {}, array: []}))
    (tmp_path / "c.json").write_text(FIXTURE.replace("}, ", '}, "capture": {"provider": "groq"}, ', 1))
    found = served_fixtures.fill(tmp_path / name for name in ("a.json", "b.json", "c.json"))
    assert [reel.upstream for reel in found.fixtures] == ["openai", "openai", "groq"]
