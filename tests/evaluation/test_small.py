"""The evaluation at its smallest: every target that so few turns can show, and that the search would find a leak."""

import random

import pytest
from support.evaluation import anonymity, contracts, demanding, leaks, tables, verdicts
from support.evaluation.baselines import BASELINES
from support.families import FAMILIES
from support.nightly import at_night, nightly
from support.recorded.event_messages import inside

from redaction.captured.argument_texts import argument_texts
from redaction.captured.payloads import read_body
from redaction.redactor import MAX_BODY_BYTES
from replay.families import FAMILIES as WIRE
from replay.validator import Code

SEED = 20_241_107
pytestmark = pytest.mark.timeout(900)  # the first test of each kind measures for all that follow


@pytest.fixture(scope="module")
def tally() -> leaks.Tally:
    pytest.importorskip("mitmproxy")
    return leaks.measure(SEED, 1)


@pytest.fixture(scope="module")
def judged() -> verdicts.Verdicts:
    return verdicts.measure(SEED, 1)


@nightly
def test_calls_that_several_rules_judge_are_proved_on_the_most_private_rung() -> None:
    demands = demanding.measure(SEED, 1)
    assert [target for target in tables.targets_of_schemas(demands) if not target.met] == []
    assert {*demands.rows} == {demanding.SATISFIED, demanding.VIOLATED, demanding.STILL_SATISFIED}


@pytest.mark.parametrize("most", at_night([5, 40], but=[5]))
def test_no_canary_in_the_words_of_a_contract_is_found(most: int) -> None:
    found = contracts.measure(SEED, 1, most=most)
    assert [target for target in tables.targets_of_contracts(found) if not target.met] == []
    assert all(found.planted[setting][site] for setting in contracts.SETTINGS for site in contracts.Site)


@nightly
def test_no_canary_is_found(tally: leaks.Tally) -> None:
    assert tally.planted["family"].keys() == FAMILIES.keys()
    assert min(tally.planted["family"].values()) > 2_000
    assert not tally.found["all"]
    assert tally.written
    assert tally.searched["files"] > tally.written
    assert not tally.refused


@nightly
def test_every_material_and_cut_is_planted(tally: leaks.Tally) -> None:
    forms = {*leaks.MATERIALS, leaks.NUMBERS, leaks.KEYS, leaks.TAILS}
    assert tally.planted["material"].keys() == forms
    assert tally.planted["cut"].keys() == leaks.CUTS.keys()
    assert len(tally.planted["position"]) > 10


@pytest.mark.parametrize("material", leaks.MATERIALS)
@pytest.mark.parametrize("profile", FAMILIES)
def test_the_search_finds_every_canary_in_what_is_not_masked(profile: str, material: str) -> None:
    one = leaks.plant(random.Random(SEED), profile, material, "whole")
    exchange = one.hidden.exchange
    raw = b"\n".join([exchange.body, inside(exchange.body), exchange.request_body or b""])
    body = read_body(exchange.body, None, *WIRE[profile].framings, limit=MAX_BODY_BYTES)
    assembled = [text for one in argument_texts(profile, body.payloads) for text in leaks.readings(one)]
    texts = [*leaks.texts_of(raw), *assembled]
    texts += [exchange.user_agent or "", exchange.content_type or "", *exchange.secrets]
    found = {place for _, place in leaks.Search([one]).found(texts)}
    missed = one.hidden.canaries.keys() - found
    assert not missed


@nightly
def test_what_is_written_is_judged_as_it_was(judged: verdicts.Verdicts) -> None:
    for code, kind in judged.kinds.items():
        assert kind.equal == kind.turns - kind.refused, code
        assert not kind.lost, code
        assert not kind.added, code
    assert not judged.kinds[verdicts.CLEAN].refused
    assert sum(kind.refused for kind in judged.kinds.values()) <= 1


@nightly
def test_the_faults_bring_about_every_code_that_traffic_can_have(judged: verdicts.Verdicts) -> None:
    reached = {code for code, kind in judged.kinds.items() if kind.reached}
    assert reached == {code.value for code in Code if code is not Code.INVALID_FIXTURE} | {verdicts.CLEAN}


@nightly
def test_other_ways_to_mask_do_worse(tally: leaks.Tally, judged: verdicts.Verdicts) -> None:
    for name in BASELINES:
        assert tally.baselines[name]["found"]
        healthy = judged.baselines[name][True]
        assert healthy.equal < healthy.turns


@nightly
def test_a_short_text_is_identified_no_better_than_by_its_number_of_fragments(
    tally: leaks.Tally, judged: verdicts.Verdicts
) -> None:
    crowds = anonymity.measure(SEED, 150)
    for name in anonymity.TARGETS:
        assert crowds[name].alone["fixture"] <= crowds[name].alone["number of fragments"]
        assert crowds[name].alone["lengths of fragments"] > 0.9
    pages = [
        tables.rendered_canaries(tally, minimum=0),
        tables.rendered_verdicts(judged),
        tables.rendered_texts(crowds),
    ]
    assert not [page for page in pages if "missed" in page]
