"""A canary in every place where user data is known to hide: none is in the fixture, whole or in part."""

from functools import cache

import pytest
from support.planted.hiding import Hidden, betrayed, hidden
from support.recorded import event_messages

from redaction.captured.argument_texts import argument_texts
from redaction.captured.exchange import Proved
from redaction.families import FAMILIES
from redaction.redactor import redact
from replay.validator import read_envelope
from replay.validator.envelope import Envelope

PROFILES = tuple(FAMILIES)


@cache
def planted(profile: str) -> Hidden:
    return hidden(profile)


@cache
def proved(profile: str) -> Proved:
    result = redact(planted(profile).exchange)
    assert isinstance(result, Proved), result
    return result


@cache
def views(profile: str) -> list[bytes]:
    """The file of the fixture, and each argument text of it, assembled."""
    data = proved(profile).fixture.data
    envelope = read_envelope(data)
    assert isinstance(envelope, Envelope)
    return [data, *(text.encode() for text in argument_texts(profile, envelope.payloads))]


@cache
def leaked(profile: str) -> list[str]:
    """The places of which something is in a byte or an assembled text."""
    return betrayed(views(profile), planted(profile).canaries)


@pytest.mark.parametrize("profile", PROFILES)
def test_what_hides_in_any_place_is_in_no_byte_and_no_assembled_text(profile: str) -> None:
    result = proved(profile)
    assert leaked(profile) == []
    shown = result.fixture.stem + repr(result)
    assert not [place for place, secret in planted(profile).canaries.items() if secret in shown]


@pytest.mark.parametrize("profile", PROFILES)
def test_the_exchange_shows_nothing_of_itself(profile: str) -> None:
    text = repr(planted(profile).exchange)
    assert not [place for place, secret in planted(profile).canaries.items() if secret in text]


@pytest.mark.parametrize("profile", PROFILES)
def test_the_canaries_are_all_in_the_exchange(profile: str) -> None:
    exchange = planted(profile).exchange
    whole = b"\n".join(
        [
            exchange.body,
            event_messages.inside(exchange.body),
            exchange.request_body or b"",
            (exchange.user_agent or "").encode(),
            (exchange.content_type or "").encode(),
            *(one.encode() for one in exchange.secrets),
        ]
    )
    assembled = [place for place, secret in planted(profile).canaries.items() if secret.encode() not in whole]
    assert all("argument" in place for place in assembled)  # these are cut over fragments
