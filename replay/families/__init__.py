"""The wire families: what toolreel knows of each beside its verdict, and the providers that speak them.

One row a family in `FAMILIES`, by the name of its profile; one row a provider in `PROVIDERS`. Recorder, import, serve,
rendering, diff and demo read them. Tables and pure functions: knows no payload but the short answer that closes a turn.
"""

from .family import Asked, Family, Said, Words
from .providers import PROVIDERS, Provider, is_host, provider_at
from .requests import asks_by_query, asks_for, asks_for_stream, family_of, model_in
from .responses import (
    CARRIED_AT,
    CARRIERS,
    FRAMINGS,
    array,
    carried_family,
    effective,
    form_at,
    framing_of,
    is_of_another_framing,
    look_of,
    names_no_stream,
    starts,
    streams,
)
from .rows import FAMILIES

__all__ = [
    "CARRIED_AT",
    "CARRIERS",
    "FAMILIES",
    "FRAMINGS",
    "PROVIDERS",
    "Asked",
    "Family",
    "Provider",
    "Said",
    "Words",
    "array",
    "asks_by_query",
    "asks_for",
    "asks_for_stream",
    "carried_family",
    "effective",
    "family_of",
    "form_at",
    "framing_of",
    "is_host",
    "is_of_another_framing",
    "look_of",
    "model_in",
    "names_no_stream",
    "provider_at",
    "starts",
    "streams",
]
