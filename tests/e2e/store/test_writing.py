"""Recordings written into an object store: once a shape, through outages, by several at a time."""

import threading
from pathlib import Path
from typing import Final

import pytest
from support.processes.command import run, toolreel
from support.processes.losing_relay import losing_relay
from support.processes.object_store import ObjectStore, missing, object_store
from support.shared import ROOT

from proxy_addon.writing.cases import Turn
from proxy_addon.writing.outcomes.settled import Dropped, How, LeftOut
from proxy_addon.writing.storage.room import Limits
from redaction.captured.exchange import Fixture

STREAMS: Final = ROOT / "tests" / "data" / "streams"


def fixture(text: str, stem: str = "shape") -> Fixture:
    """A fixture whose digest is its text."""
    return Fixture(data=text.encode(), stem=stem, digest=text)


def test_a_shape_is_written_once_whoever_writes_it(prefix: str) -> None:
    from proxy_addon.writing.storage.object_folder import ObjectFolder

    def writer() -> ObjectFolder:
        return ObjectFolder(prefix, digest_of=bytes.decode, tell=lambda *_: None, limits=Limits())

    settled: list[How] = []

    def write(one: ObjectFolder) -> None:
        settled.extend(one.store(fixture(f"shape {at}", f"shape-{at}"), None).how for at in range(8))

    threads = [threading.Thread(target=write, args=(writer(),)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(settled, key=lambda how: how.value) == [How.SAME_SHAPE] * 16 + [How.WRITTEN] * 8
    # Two shapes of one name, and a case.
    one = writer()
    assert one.store(fixture("other", "shape-0"), None).file == "shape-0-2.json"
    assert writer().store(fixture("other", "shape-0"), None).how is How.SAME_SHAPE
    assert one.store(fixture("a"), Turn(case="weather")).file == "weather.json"
    assert one.store(fixture("a"), Turn(case="weather")).how is How.SAME_SHAPE
    assert one.store(fixture("b"), Turn(case="weather")).why is LeftOut.OTHER_TURN
    assert one.store(fixture("b"), Turn(case="weather", number=2)).file == "weather+2.json"


@pytest.mark.parametrize("lost", [1, 2])
def test_an_answer_that_is_lost_makes_no_second_object_and_loses_none(
    lost: int, store: ObjectStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    from proxy_addon.writing.storage.object_folder import ObjectFolder
    from replay.store import objects

    with losing_relay(store.ports[0]) as relay:
        for name, value in (store.variables | {"AWS_ENDPOINT_URL": relay.address}).items():
            monkeypatch.setenv(name, value)
        store.make_bucket(f"lost-{lost}")  # a bucket keeps the address at which it was asked first
        told: list[str] = []
        one = ObjectFolder(
            f"s3://lost-{lost}/reels",
            digest_of=bytes.decode,
            tell=lambda _, says: told.append(says),
            limits=Limits(),
        )
        relay.to_lose = lost
        settled = [one.store(fixture(f"shape {at}", "shape"), None) for at in range(3)]
        turns = [one.store(fixture("turn"), Turn(case="weather"))]
        relay.to_lose = lost
        turns.append(one.store(fixture("other"), Turn(case="paris")))
        there = sorted(path.rpartition("/")[2] for path in objects.listed(f"s3://lost-{lost}/reels"))
    assert (relay.lost, bool(told)) == (2 * lost, lost > 1)
    assert [(done.how, done.file) for done in settled] == [
        (How.WRITTEN, "shape.json"),
        (How.WRITTEN, "shape-2.json"),
        (How.WRITTEN, "shape-3.json"),
    ]
    assert [(done.how, done.file) for done in turns] == [(How.WRITTEN, "weather.json"), (How.WRITTEN, "paris.json")]
    assert there == ["paris.json", "shape-2.json", "shape-3.json", "shape.json", "weather.json"]


def test_an_outage_is_ridden_out_within_bounds_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if missing():
        pytest.skip(missing())
    from proxy_addon.writing.storage.object_folder import ObjectFolder

    with object_store(tmp_path) as store:
        store.make_bucket("outage")
        for name, value in store.variables.items():
            monkeypatch.setenv(name, value)
        told: list[str] = []

        def opened(patience: float) -> ObjectFolder:
            return ObjectFolder(
                "s3://outage/reels",
                digest_of=bytes.decode,
                tell=lambda _, says: told.append(says),
                limits=Limits(),
                patience=patience,
            )

        patient, hasty = opened(50), opened(0)
        store.stop()
        assert hasty.store(fixture("one"), None).why is Dropped.STORE
        again = threading.Timer(1, store.start)
        again.start()
        assert patient.store(fixture("two"), None).how is How.WRITTEN
        again.join()
        assert told == ["the store does not answer; fixtures wait for 50 seconds", "the store answers again"]
        assert hasty.store(fixture("one"), None).how in (How.WRITTEN, How.SAME_SHAPE)
        assert hasty.store(fixture("two"), None).file in ("shape.json", "shape-2.json")


def test_an_import_writes_into_a_store_and_a_replay_reads_it_there(prefix: str) -> None:
    folder = STREAMS / "openai-chat-gpt-4o-mini-multi-tool-streaming"
    request = ("--request", str(folder / "request.json"))
    words = ("import", str(folder / "response.body"), "--profile", "openai", *request, "--out", prefix)
    assert "written" in toolreel(*words)
    assert toolreel("scan", prefix).startswith("1 file scanned, 0 places found")
    assert "same shape" in run(*words).stdout
    done = run(*words, "--rewrite")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "what is in a store is not written over" in done.stderr


def test_a_store_that_takes_nothing_is_told_before_anything_is_recorded(store: ObjectStore, prefix: str) -> None:
    for variables, said in (
        ({"AWS_SECRET_ACCESS_KEY": "another"}, "the store denies access"),
        ({"AWS_ENDPOINT_URL": "http://127.0.0.1:9"}, "the store gave no answer that is of use (not reached)"),
    ):
        done = run("record", "--port", "0", "--out", prefix, variables=variables)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
        assert said in done.stderr
    assert "no-such-bucket is not there" in run("record", "--port", "0", "--out", "s3://no-such-bucket/x").stderr
