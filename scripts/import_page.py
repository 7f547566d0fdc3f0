"""Pastes into docs/importing.md what its commands print; `sessions.py` says how. Needs the extra `import`."""

import sys

from sessions import ROOT, Project, commands, paste

sys.path.insert(0, str(ROOT))

from proxy_addon.demo.bundled import bundled

CASSETTES = ROOT / "tests" / "data" / "imports"


def cassette(project: Project) -> str:
    """A cassette of a test suite."""
    (project.folder / "cassettes").mkdir()
    (project.folder / "cassettes" / "chat.yaml").write_bytes((CASSETTES / "vcrpy-requests.yaml").read_bytes())
    return commands("toolreel import cassettes/chat.yaml", "echo $?")(project)


def body(project: Project) -> str:
    """The body of a response, with the request beside it."""
    (turn,) = (turn for turn in bundled() if turn.case == "mistral-interleaved")
    (project.folder / "body.sse").write_bytes(turn.response_body())
    (project.folder / "request.json").write_bytes(turn.request_body())
    line = "toolreel import body.sse --profile mistral --request request.json --case two-calls"
    return commands(line, "echo $?")(project)


def broken(project: Project) -> str:
    """A cassette that ends in the middle."""
    whole = (CASSETTES / "vcrpy-httpx.json").read_bytes()
    (project.folder / "half.json").write_bytes(whole[: len(whole) // 2])
    return commands("toolreel import half.json --out other", "echo $?")(project)


SESSIONS = {"cassette": cassette, "body": body, "broken": broken}

if __name__ == "__main__":
    sys.exit(paste(ROOT / "docs" / "importing.md", SESSIONS))
