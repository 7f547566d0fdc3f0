"""Files to reels: texts or paths, each once."""

import json
from pathlib import Path

from replay.serve import shelf


def test_texts_and_paths_are_taken_alike_and_each_file_once(tmp_path: Path) -> None:
    one = tmp_path / "one.json"
    one.write_text(json.dumps({"profile": "openai", "tool_schemas": {}, "chunks": []}))
    found = shelf.fill([str(one), one])
    assert [reel.name for reel in found.reels] == ["one"]
    assert found.paths == (one,)
    assert found == shelf.fill([one])
