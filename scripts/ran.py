"""Checks in pytest's JUnit file that the tests that matter really ran; exits 1 with the reason where one did not.

    python scripts/ran.py [--nightly] JUNIT

A suite whose decisive tests were skipped is as green as one that passed them. Standard library only.
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree

# Test module -> how a skip may begin: other interpreters and the reference data may be missing on a machine, an
# environment and a package index, from which this very run was installed, may not.
PUSH = {
    "tests.e2e.store.test_corpora": (),
    "tests.e2e.store.test_writing": (),
    "tests.e2e.store.test_cluster": (),
    "tests.unit.replay_reports.test_parquet_report": (),
    "tests.e2e.clients.test_streams": ("reference data",),
    "tests.e2e.clients.test_canaries": ("reference data",),
}
NIGHTLY = {**PUSH, "tests.test_objective": ("no Python from",), "tests.contracts.test_wheel": ()}


def complaints(junit: Path, must_run: Mapping[str, tuple[str, ...]]) -> list[str]:
    """One sentence for each of the modules that did not run as it must."""
    cases = list(ElementTree.parse(junit).getroot().iter("testcase"))
    found = []
    for module, allowed in must_run.items():
        mine = [case for case in cases if case.get("classname", "").startswith(module)]
        skips = [skip.get("message", "") for case in mine for skip in case.iter("skipped")]
        if len(mine) - len(skips) < 1:
            found.append(f"{module}: {len(mine)} tests collected, {len(skips)} skipped: none ran")
        found += [f"{module}: skipped: {reason}" for reason in skips if not reason.startswith(allowed)]
    return list(dict.fromkeys(found))


def main() -> int:
    """Print what is to complain of in the file that the command line names."""
    *options, junit = sys.argv[1:]
    found = complaints(Path(junit), NIGHTLY if options == ["--nightly"] else PUSH)
    for line in found:
        print(line, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
