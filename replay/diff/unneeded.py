"""Pinned outcomes that no run is compared with, or that say what another one says: what they are, and the file without.

For example, the outcome of a client of Anthropic's API, beside a fixture that was recorded anew from OpenAI's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .outcomes import Outcome


def versions(pinned: Mapping[str, Outcome]) -> tuple[str, ...]:
    """The versions of an adapter whose outcome is also that of the version pinned last, which stands in for them."""
    *others, last = pinned
    return tuple(version for version in others if pinned[version] is pinned[last])


def of_versions(unneeded: tuple[str, ...], update: str) -> str:
    """The line on such versions; "" where there are none."""
    if not unneeded:
        return ""
    return f"the pinned outcome of {', '.join(unneeded)} is that of the version pinned last; to remove it: {update}"


def of_profile(profile: str, update: str) -> str:
    """The line on an outcome of an adapter that does not speak the API of the fixture."""
    return f"an outcome is pinned, and this adapter does not speak {profile}; to remove it: {update}"
