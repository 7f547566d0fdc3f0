"""The parts of a recorder that carry traffic, wired together. They hand captures to an outlet, and know no writer."""

import time
from dataclasses import dataclass

from proxy_addon.recorder.addon import Recorder
from proxy_addon.recorder.engine import Interception
from proxy_addon.recorder.requests.case_turns import CaseTurns
from proxy_addon.recorder.settings.options import RecordOptions
from proxy_addon.recorder.tunnels.forward import Other, Tunnels
from proxy_addon.recorder.tunnels.via import Via
from proxy_addon.setup.constraints import hosts_of
from proxy_addon.writing.finished import Budget
from proxy_addon.writing.outcomes.counts import Counts
from proxy_addon.writing.outlet import Outlet
from proxy_addon.writing.sampling import Sample
from redaction.captured.exchange import Kept


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What `serve` needs."""

    recorder: Recorder
    tunnels: Tunnels
    via: Via
    interception: Interception


def wire(checked: RecordOptions, *, writer: Outlet, counts: Counts, budget: Budget, turns: CaseTurns) -> Parts:
    """The parts that these options ask for."""
    other = Other(checked.other)
    via = Via(checked.proxies)
    interception = Interception(
        hosts=hosts_of(checked.routes.upstreams), note=lambda says: writer.note("certificate authority", says)
    )
    tunnels = Tunnels(
        routes=checked.routes,
        other=other,
        counts=counts,
        authority=interception.ready,
        passed=writer.passed,
        via=via,
        tokens=checked.access.tokens,
    )
    recorder = Recorder(
        routes=checked.routes,
        writer=writer,
        counts=counts,
        budget=budget,
        max_body=checked.max_body,
        sample=Sample(checked.sample.rates, other=checked.sample.other, by=checked.sample_by),
        tunnels=tunnels,
        other=other,
        clients=checked.clients,
        via=via,
        tokens=checked.access.tokens,
        clock=time.monotonic if Kept.TIMES in checked.kept else None,
        turns=turns,
    )
    return Parts(recorder=recorder, tunnels=tunnels, via=via, interception=interception)
