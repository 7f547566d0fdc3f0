"""The dashboard and the settings for Prometheus in docs/examples name metrics and labels that a recorder has.

Which it has, stands in the table of docs/service.md; a real recorder is asked for these in tests/e2e/recorder.
"""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from support.shared import ROOT

SERVICE: Final = ROOT / "docs" / "examples" / "service"
DASHBOARD: Final[dict[str, Any]] = json.loads((SERVICE / "grafana.json").read_text("utf-8"))
ALERTS: Final[dict[str, Any]] = yaml.safe_load((SERVICE / "alerts.yml").read_text("utf-8"))
SCRAPE: Final[dict[str, Any]] = yaml.safe_load((SERVICE / "prometheus.yml").read_text("utf-8"))
PAGE: Final = (ROOT / "docs" / "service.md").read_text("utf-8")

# By metric, the labels that it has; a histogram has its three series.
ROWS: Final = re.findall(r"^\| `(toolreel_\w+)` \| (.*?) \|", PAGE, re.MULTILINE)
METRICS: Final[dict[str, set[str]]] = {
    **{name: set(re.findall(r"`(\w+)`", labels)) for name, labels in ROWS if labels != "histogram"},
    **{f"{name}_{end}": {"le"} for name, labels in ROWS if labels == "histogram" for end in ("bucket", "count", "sum")},
    "process_resident_memory_bytes": set(),
    "process_cpu_seconds_total": set(),
}
TARGETS: Final = {"job", "instance"}  # which Prometheus gives to all

EXPRESSIONS: Final = [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]
RULES: Final = [rule["expr"] for group in ALERTS["groups"] for rule in group["rules"]]


def named(expression: str) -> set[str]:
    return set(re.findall(r"\b(?:toolreel|process)_\w+", expression))


@pytest.mark.parametrize("expression", [*EXPRESSIONS, *RULES])
def test_an_expression_names_metrics_that_a_recorder_has_and_their_labels(expression: str) -> None:
    names = named(expression)
    assert names
    assert names <= METRICS.keys()
    known = TARGETS.union(*(METRICS[name] for name in names))
    grouped = re.findall(r"\bby \(([^)]*)\)", expression)
    matched = re.findall(r"(\w+) ?(?:=~|!~|!=|=)\s*\"", expression)
    assert {label.strip() for labels in grouped for label in labels.split(",")} | set(matched) <= known


def test_the_dashboard_shows_every_metric() -> None:
    shown = set().union(*map(named, EXPRESSIONS))
    assert {re.sub(r"(?<=_seconds)_bucket$", "", name) for name in shown} >= {name for name, _ in ROWS}


def test_the_panels_have_numbers_and_places_of_their_own() -> None:
    panels = DASHBOARD["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    taken: set[tuple[int, int]] = set()
    for panel in panels:
        place = panel["gridPos"]
        cells = {(place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])}
        assert not cells & taken, panel["title"]
        assert max(x for x, _ in cells) < 24
        taken |= cells
    variables = {variable["name"] for variable in DASHBOARD["templating"]["list"]}
    assert set(re.findall(r"\$\{?(\w+)", json.dumps(panels))) <= variables | {"__rate_interval"}


def test_the_scraped_address_is_the_one_of_the_page() -> None:
    (job,) = SCRAPE["scrape_configs"]
    ((address,),) = (static["targets"] for static in job["static_configs"])
    assert f"toolreel record --admin {address}" in PAGE
    assert SCRAPE["rule_files"] == ["alerts.yml"]


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool, which comes with Prometheus, is not installed")
def test_prometheus_takes_the_settings_the_alerts_and_every_expression(tmp_path: Path) -> None:
    for name in ("prometheus.yml", "alerts.yml"):
        shutil.copy(SERVICE / name, tmp_path)
    plain = [expression.replace("$__rate_interval", "1m") for expression in EXPRESSIONS]
    rules = [{"record": f"panel:{number}", "expr": expression} for number, expression in enumerate(plain)]
    (tmp_path / "panels.yml").write_text(json.dumps({"groups": [{"name": "panels", "rules": rules}]}))
    for words in (("config", "prometheus.yml"), ("rules", "panels.yml")):
        done = subprocess.run(["promtool", "check", *words], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
