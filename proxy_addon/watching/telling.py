"""How a recorder comes to tell of itself: its watch, its page of metrics and its admin listener are put together."""

import contextlib
from collections.abc import Callable, Iterator

from proxy_addon.watching.address import Address
from proxy_addon.watching.admin import NO_METRICS, Render, admin
from proxy_addon.watching.numbers import Numbers
from replay.local_clients import LocalClients


@contextlib.contextmanager
def told(
    address: Address | None,
    numbers: Callable[[], Numbers],
    *,
    clients: LocalClients,
    note: Callable[[str, str], None],
) -> Iterator[str | None]:
    """Tell these numbers at an address for as long as the block runs; where that is, or None where nobody asked."""
    if address is None:
        yield None
        return
    render = _render(numbers)
    if render is None:
        note("/metrics", NO_METRICS)
    with admin(address, clients=clients, numbers=numbers, render=render) as where:
        yield where


def _render(numbers: Callable[[], Numbers]) -> Render | None:
    """What makes the page of metrics; None where the extra is not installed."""
    try:
        from proxy_addon.watching.prometheus import Page
    except ModuleNotFoundError:
        return None
    return Page(numbers).render
