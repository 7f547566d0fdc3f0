"""What a recorder hands its captures to: the writer itself, or in one of several workers what sends them to it."""

from typing import Protocol

from proxy_addon.writing.finished import Finished
from proxy_addon.writing.outcomes.settled import Settled
from proxy_addon.writing.outcomes.unrecorded import Kind


class Outlet(Protocol):
    """Takes what a recorder has to hand over. None of its methods waits."""

    def offer(self, finished: Finished) -> None:
        """Take a capture."""

    def note(self, about: str, says: str) -> None:
        """Say something about what is no capture."""

    def passed(self, kind: Kind) -> None:
        """Count an exchange that is not recorded."""

    def tell(self, settled: Settled, *, upstream: str, case: str | None) -> None:
        """Count and say what became of a capture."""

    @property
    def running(self) -> bool:
        """Whether there is still something to do, or more may come."""

    def stop(self) -> None:
        """End after what is queued now."""

    def abort(self) -> None:
        """End soon; what waits is dropped."""
