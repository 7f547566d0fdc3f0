"""What a body is that is no stream of its family: told by its start, in closed words."""

import gzip
import json

import pytest
from support.builders import blocks
from support.recorded import event_messages

from proxy_addon.demo.bundled import BundledTurn, bundled
from proxy_addon.importing import contents
from proxy_addon.importing.entries import Unusable
from replay import families
from replay.families import FAMILIES

TURNS = [turn for turn in bundled() if turn.case.endswith("one-call")]
CHUNK = json.dumps({"choices": [{"index": 0, "delta": {"content": "x"}}]}).encode()


def why(profile: str, body: bytes) -> Unusable | None:
    found = contents.unusable(profile, (), body)
    return None if found is None else found.why


@pytest.mark.parametrize("turn", TURNS, ids=lambda turn: turn.case)
def test_a_stream_of_its_family_is_one_and_that_of_another_is_named(turn: BundledTurn) -> None:
    profile, body = turn.profile, turn.response_body()
    assert contents.unusable(profile, (), body) is None
    assert contents.unusable(profile, (("content-encoding", "gzip"),), gzip.compress(body)) is None
    alike = families.look_of(turn.events[0])
    assert profile in alike
    assert contents.families_of(body) == alike
    for other in ("openai", "anthropic", "openai-responses"):
        found = contents.unusable(other, (), body)
        if other in alike:
            assert found is None
        else:
            assert found is not None
            assert found.why is Unusable.OTHER_FAMILY
            assert found.note == f"they look like {' or '.join(alike)}; name theirs with --profile"


@pytest.mark.parametrize("carried", [blocks.begin(), {"outputText": "Hello"}], ids=["claude", "titan"])
@pytest.mark.parametrize("asked", ["anthropic", "openai", "gemini", "ollama"])
def test_a_body_of_invoke_model_names_the_family_of_its_carrier(asked: str, carried: object) -> None:
    body = event_messages.carried(json.dumps(carried).encode(), p="abc")
    assert contents.unusable("bedrock-converse", (), body) is None
    assert contents.families_of(body) == ("bedrock-converse",)
    found = contents.unusable(asked, (), body)
    assert found == contents.Found(Unusable.OTHER_FAMILY, "they look like bedrock-converse; name theirs with --profile")


@pytest.mark.parametrize(
    ("body", "what"),
    [
        (b"", Unusable.NO_EVENT),
        (b"\xef\xbb\xbf \n", Unusable.NO_EVENT),
        (b": ping\n\n", Unusable.NO_EVENT),
        (b'data: {"choices":', Unusable.NO_EVENT),
        (b'{"error": {"message": "Ms Miller"}}', Unusable.ERROR),
        (b'{"id": "x", "choices": [{"message": {"content": "Ms Miller"}}]}', Unusable.WHOLE_RESPONSE),
        (b'{"a": 1}', Unusable.NO_STREAM),
        (b'["64617461"]', Unusable.NO_STREAM),
        (b'{"message": {"content": "Ms Miller"}, "done": true}', Unusable.WHOLE_RESPONSE),
        (b'[{"candidates": []}\n,\r\n{"candidates": []}\n]\n', Unusable.OTHER_FAMILY),
        (b"<html>Ms Miller</html>", Unusable.NO_EVENT),
        (b"data: %b\ndata: %b\n" % (CHUNK, CHUNK), Unusable.LINES),
        (b"data: %b\ndata: %b\n\n" % (CHUNK, CHUNK), Unusable.LINES),
        (b"data: %b\n\n" % CHUNK, None),
        (b"data: {\ndata: }\n\n", None),  # one payload over two lines, as the standard allows
        (b'data: {"a": 1}\n\n', None),  # of no family that is known: the verdict says it
    ],
)
def test_what_a_body_is_that_is_no_stream(body: bytes, what: Unusable | None) -> None:
    assert why("openai", body) is what


def test_a_coding_that_cannot_be_undone_is_left_to_redaction() -> None:
    assert contents.unusable("openai", (("content-encoding", "lzma"),), b"x") is None


def test_a_long_body_is_judged_by_its_start() -> None:
    assert why("openai", b"data: %b\n\n" % CHUNK * 20_000) is None
    assert why("anthropic", b"data: %b\n\n" % CHUNK * 20_000) is Unusable.OTHER_FAMILY
    assert why("openai", b'{"choices": "' + b"x" * contents.HEAD_BYTES) is Unusable.NO_STREAM


@pytest.mark.parametrize("profile", FAMILIES)
def test_a_family_knows_its_own_answer(profile: str) -> None:
    looks = {found for payload in FAMILIES[profile].answer for found in families.look_of(payload)}
    assert not looks or profile in looks
