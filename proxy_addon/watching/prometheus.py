"""The page `/metrics`, in the text formats of Prometheus. The only module that imports the extra `metrics`.

Every label is a closed word, or the name that the user gave an upstream: none is from a payload.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import metadata
from typing import Final

from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector

from proxy_addon.watching.numbers import OUTCOMES, Disk, Numbers, Phase
from proxy_addon.writing.histogram import Buckets


class _Recorder(Collector):
    """Makes metrics of the numbers of a recorder, each time that somebody asks."""

    def __init__(self, numbers: Callable[[], Numbers]) -> None:
        self._numbers: Final = numbers

    def collect(self) -> Iterator[Metric]:
        """All metrics but those of the process."""
        numbers = self._numbers()
        yield from _of_captures(numbers)
        yield from _of_exchanges(numbers)
        for name, said, value in _gauges(numbers):
            yield GaugeMetricFamily(f"toolreel_{name}", said, value)
        yield _histogram("chunk_delay", "Time from the arrival of a read to its being sent on", numbers.chunk_delay)
        yield _histogram("loop_delay", "How late the event loop calls what is due", numbers.loop_delay)
        yield _histogram("writer_lag", "Time from the end of a stream to its outcome", numbers.writer_lag)
        version = GaugeMetricFamily("toolreel_info", "The version that runs", labels=["version"])
        version.add_metric([metadata.version("toolreel")], 1)
        yield version


def _of_captures(numbers: Numbers) -> Iterator[Metric]:
    totals = numbers.totals
    yield _counter("turns_seen", "Streams that were recognised as turns", ["upstream"], _alone(totals.seen))
    outcomes: dict[tuple[str, ...], int] = {}
    for one, count in totals.outcomes.items():
        outcomes[one.upstream, OUTCOMES[one.how], one.why.name.lower() if one.why else ""] = count
    yield _counter("captures", "What became of them, and why", ["upstream", "outcome", "reason"], outcomes.items())
    yield _counter("turns_recorded", "Turns that the folder has", ["upstream", "profile"], totals.recorded.items())
    yield _counter("bugs", "Exceptions in the recorder, which cost captures and no traffic", [], [((), totals.bugs)])
    yield _counter("log_lines_lost", "Lines of the log that nobody read", [], [((), numbers.lines_lost)])


def _of_exchanges(numbers: Numbers) -> Iterator[Metric]:
    kinds: dict[tuple[str, ...], int] = {}
    for kind, count in numbers.totals.not_recorded.items():
        named = kind.upstream, kind.what.name, kind.why.name.lower()
        kinds[named] = kinds.get(named, 0) + count
    yield _counter(
        "not_recorded", "Exchanges that are no recorded stream", ["upstream", "what", "reason"], kinds.items()
    )
    yield _counter("received_bytes", "Bytes that came in, and were sent on", ["sender"], _alone(numbers.received))


def _alone(values: Mapping[str, int]) -> Iterator[tuple[Sequence[str], int]]:
    """The values of a metric with one label."""
    return (((label,), value) for label, value in values.items())


def _gauges(numbers: Numbers) -> Iterator[tuple[str, str, float]]:
    yield "ready", "1 while requests are taken", numbers.phase is Phase.READY
    yield "draining", "1 while live streams and the queue are waited for", numbers.phase is Phase.DRAINING
    yield "captures_unaccounted", "Turns that were seen and are lost; 0 where the sum rule holds", numbers.unaccounted
    yield "captures_receiving", "Turns whose stream goes on", numbers.receiving
    yield "queue_captures", "Captures that wait for redaction or for the writer", numbers.queued
    yield "queue_bytes", "Bytes that those hold", numbers.queued_bytes
    yield "queue_oldest_seconds", "How long the oldest of those has waited", numbers.oldest
    yield "held_bytes", "Bytes that all captures hold", numbers.held
    yield "held_limit_bytes", "The bound of that, --max-memory", numbers.may_hold
    yield "redaction_memory_bytes", "Resident memory of the processes that redact", numbers.redaction_memory
    yield "workers_memory_bytes", "Resident memory of the workers, of --workers", numbers.workers_memory
    yield "folder_writable", "1 while the folder of fixtures can be written", numbers.room.disk is Disk.GOOD
    yield "folder_free_bytes", "Bytes that its disk has left", numbers.room.free


def _counter(name: str, said: str, labels: list[str], values: Iterable[tuple[Sequence[str], int]]) -> Metric:
    found = CounterMetricFamily(f"toolreel_{name}", said, labels=labels)
    for named, value in values:
        found.add_metric(named, value)
    return found


def _histogram(name: str, said: str, buckets: Buckets) -> Metric:
    so_far, cumulative = 0, []
    for bound, count in zip((*map(str, buckets.bounds), "+Inf"), buckets.counts, strict=True):
        so_far += count
        cumulative.append((bound, float(so_far)))
    return HistogramMetricFamily(f"toolreel_{name}_seconds", said, buckets=cumulative, sum_value=buckets.total)


class Page:
    """The page of one recorder: `numbers` gives its numbers now."""

    def __init__(self, numbers: Callable[[], Numbers]) -> None:
        self._registry: Final = CollectorRegistry()
        self._registry.register(_Recorder(numbers))
        ProcessCollector(registry=self._registry)  # memory, processor time and open files of this process

    def render(self, accept: str) -> tuple[bytes, str]:
        """The page and its content type, in the format that a scraper accepts."""
        encode, content_type = choose_encoder(accept)
        return encode(self._registry), content_type
