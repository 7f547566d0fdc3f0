"""The gate can fail: each treatment is switched off in turn, and every fixture that then leaks is refused.

Patching our own modules is right here alone: what is proved is that the gate catches a mask that does not mask.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from support.nightly import sixths
from support.planted.gate_parts import without_grams, without_vocabulary
from support.planted.hiding import betrayed, hidden

import redaction.captured.facts as facts
import redaction.masks.arguments as arguments
import redaction.masks.contract.declarations as declarations
import redaction.masks.mask as masks
import redaction.masks.slots as slots
import redaction.masks.tool_schemas as schemas
import redaction.redactor as redactor
from redaction.captured.argument_texts import argument_texts
from redaction.captured.exchange import Proved, Reason, Refused
from redaction.captured.payloads import Broken
from redaction.families import FAMILIES
from redaction.families.tables.treatments import Treatment
from replay.validator import read_envelope
from replay.validator.envelope import Envelope

Patch = pytest.MonkeyPatch
CAUGHT = (Reason.VOCABULARY, Reason.RAW_TEXT)
# One profile of each table of positions.
DIFFERENT = tuple({id(family.table): profile for profile, family in reversed(FAMILIES.items())}.values())


def _treatment(treatment: Treatment) -> Callable[[Patch], None]:
    def switch_off(patch: Patch) -> None:
        class Blind(masks.Mask):
            def __init__(self, *given: Any) -> None:
                super().__init__(*given)
                self._treat = {**self._treat, treatment: lambda value, _: value}

        patch.setattr(redactor, "Mask", Blind)

    return switch_off


def _kept(patch: Patch) -> None:
    """What is emptied stays, unknown members and values of a wrong type included."""
    patch.setattr(masks, "_emptied", lambda value, _: value)


def _unknown_keys(patch: Patch) -> None:
    class Keys(masks.Ordinals):
        def __getitem__(self, raw: str) -> Any:
            return raw

    class Blind(masks.Mask):
        def __init__(self, *given: Any) -> None:
            super().__init__(*given)
            self._keys = Keys()

    patch.setattr(redactor, "Mask", Blind)


def _undeclared_names(patch: Patch) -> None:
    patch.setattr(masks.Mask, "tool_name", lambda _, raw: raw)


def _broken_payloads(patch: Patch) -> None:
    class Blind(masks.Mask):
        def payload(self, value: object, places: Any) -> masks.MaskedPayload:
            return masks.MaskedPayload(value.text) if isinstance(value, Broken) else super().payload(value, places)

    patch.setattr(redactor, "Mask", Blind)


def _fragments(patch: Patch) -> None:
    patch.setattr(slots, "mask_arguments", lambda texts, *_, **__: texts)


def _token(method: str) -> Callable[[Patch], None]:
    """Tokens of one kind in argument texts stay as they are."""

    def raw_pieces(self: Any, raw: str, inner: Any) -> list[str]:
        bounds = [0, *inner, len(raw)] if isinstance(inner, list) else [0, *range(1, inner), len(raw)]
        if method == "_key":
            self._containers._open[-1].member = self._document.schemas([])
        return [raw[low:high] for low, high in pairwise(bounds)]

    return lambda patch: patch.setattr(arguments._Walk, method, raw_pieces)


def _tails(patch: Patch) -> None:
    patch.setattr(arguments, "_tail", lambda raw, _, count: [*raw[: count - 1], raw[count - 1 :]])


def _schemas(patch: Patch) -> None:
    patch.setattr(declarations, "mask_schema", lambda schema, *_: schema)


def _annotations(patch: Patch) -> None:
    patch.setattr(schemas, "unsupported", lambda _: None)
    patch.setattr(schemas._Masker, "_keyword", lambda _, __, value: value)


def _definitions(patch: Patch) -> None:
    patch.setattr(schemas._Masker, "_ordinal", lambda _, name: name)


def _event_names(patch: Patch) -> None:
    patch.setattr(facts, "_event_names", lambda _, body: [frame.event for frame in body.frames])


def _marks(patch: Patch) -> None:
    patch.setattr(facts, "_marks", lambda frames: {"ids": [frame.id for frame in frames if frame.id]})


def _content_type(patch: Patch) -> None:
    patch.setattr(facts, "_CONTENT_TYPES", type("All", (), {"__contains__": lambda *_: True})())


def _model(patch: Patch) -> None:
    patch.setattr(facts, "model", lambda raw: raw)


def _adapter(patch: Patch) -> None:
    patch.setattr(facts, "_adapter", lambda agent: {"name": agent, "version": "1.0.0"})


MUTATIONS: dict[str, Callable[[Patch], None]] = {
    # `WHOLE` is no mask of its own: every object there is masked as an argument text.
    **{
        f"treatment {one.name.lower()}": _treatment(one)
        for one in Treatment
        if one not in (Treatment.INDEX, Treatment.WHOLE)
    },
    "treatment index": _treatment(Treatment.INDEX),
    "emptied values": _kept,
    "unknown keys": _unknown_keys,
    "undeclared names": _undeclared_names,
    "broken payloads": _broken_payloads,
    "argument texts": _fragments,
    "argument keys": _token("_key"),
    "argument strings": _token("_string"),
    "argument numbers": _token("_number"),
    "tails of argument texts": _tails,
    "schemas": _schemas,
    "annotations": _annotations,
    "definition names": _definitions,
    "event names": _event_names,
    "event ids": _marks,
    "content type": _content_type,
    "model": _model,
    "adapter": _adapter,
}


@pytest.fixture
def leaks(monkeypatch: Patch) -> Callable[[str], list[str]]:
    """The places whose canary stands in any fixture that was finished since it was last asked, proved or not."""
    finished: list[bytes] = []
    finish = redactor.finish

    def watched(draft: Any) -> Any:
        fixture = finish(draft)
        finished.append(fixture.data)
        return fixture

    monkeypatch.setattr(redactor, "finish", watched)

    def seen(profile: str) -> list[str]:
        views = []
        for data in finished:
            views.append(data)
            envelope = read_envelope(data)
            if isinstance(envelope, Envelope):
                views += [text.encode() for text in argument_texts(profile, envelope.payloads)]
        finished.clear()
        return betrayed(views, hidden(profile).canaries)

    return seen


@pytest.mark.parametrize(("name", "profile"), sixths(MUTATIONS, tuple(FAMILIES)))
def test_a_mask_that_does_not_mask_is_caught(
    name: str, profile: str, monkeypatch: Patch, leaks: Callable[[str], list[str]]
) -> None:
    MUTATIONS[name](monkeypatch)
    result = redactor.redact(hidden(profile).exchange)
    if not leaks(profile):
        assert isinstance(result, Proved)
        pytest.skip("nothing of this kind in this profile")
    assert isinstance(result, Refused)
    assert result.reason in (*CAUGHT, Reason.VERDICT)


@pytest.mark.parametrize("part", [without_vocabulary, without_grams], ids=["grams alone", "vocabulary alone"])
@pytest.mark.parametrize(("name", "profile"), sixths(MUTATIONS, DIFFERENT))
def test_each_part_of_the_gate_catches_it_by_itself(
    name: str, profile: str, part: Callable[[Patch], None], monkeypatch: Patch, leaks: Callable[[str], list[str]]
) -> None:
    part(monkeypatch)
    monkeypatch.setattr(redactor, "same_verdict", lambda *_: True)  # what remains is the gate
    MUTATIONS[name](monkeypatch)
    result = redactor.redact(hidden(profile).exchange)
    if not leaks(profile):
        pytest.skip("nothing of this kind in this profile")
    assert isinstance(result, Refused)
    assert result.reason in CAUGHT


def test_no_mutation_is_without_a_leak(monkeypatch: Patch, leaks: Callable[[str], list[str]]) -> None:
    idle = []
    for name, switch_off in MUTATIONS.items():
        with pytest.MonkeyPatch.context() as patch:
            switch_off(patch)
            if not any(redactor.redact(hidden(profile).exchange) and leaks(profile) for profile in DIFFERENT):
                idle.append(name)
    assert idle == []
