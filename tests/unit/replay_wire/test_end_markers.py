"""Which frames become payloads, and which are framing."""

import pytest

from replay.wire.framing import Frame, Payloads
from replay.wire.sse import DONE, collect


def gather(*texts: str) -> Payloads:
    return collect([Frame(data=text) for text in texts], lambda frame: {"read": frame.data})


@pytest.mark.parametrize(
    ("texts", "items", "done"),
    [
        ([], [], 0),
        (["a"], [{"read": "a"}], 0),
        (["a", DONE], [{"read": "a"}], 1),
        ([DONE], [], 1),
        (["a", DONE, DONE], [{"read": "a"}], 2),
        (["a", DONE, "b"], [{"read": "a"}, DONE, {"read": "b"}], 0),
        ([DONE, DONE, "b", DONE], [DONE, DONE, {"read": "b"}], 1),
    ],
)
def test_an_end_marker_is_framing_unless_an_event_follows(texts: list[str], items: list[object], done: int) -> None:
    found = gather(*texts)
    assert found.items == items
    assert found.done == done


@pytest.mark.parametrize("text", ["[DONE] ", " [DONE]", "[done]", "[DONE]\n", '"[DONE]"', ""])
def test_only_the_exact_text_is_an_end_marker(text: str) -> None:
    found = gather(text)
    assert found.items == [{"read": text}]
    assert found.done == 0


def test_every_item_has_its_frame() -> None:
    frames = [Frame(data="a"), Frame(data=DONE, comments=1), Frame(data="b"), Frame(data=DONE)]
    assert collect(frames, lambda frame: frame.data).frames == frames[:3]


def test_its_repr_shows_no_captured_text() -> None:
    assert "SECRET" not in repr(gather("SECRET"))
