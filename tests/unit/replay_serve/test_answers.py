"""Which fixture a request gets, and what is refused: request in, plan of an answer out."""

import json
from dataclasses import replace

import pytest

from replay.corpus.loading import load
from replay.families import array
from replay.serve.answers import NO_FIXTURE, Answer, Answers, Cut, Ending, encoded
from replay.serve.http1 import Request
from replay.serve.matching import FixtureMatcher, Order, ServedFixture
from replay.serve.server import base_urls

STREAM = b'{"stream": true}'


def reel(name: str, profile: str = "openai", *, upstream: str | None = None, **members: object) -> ServedFixture:
    fixture = {"profile": profile, "tool_schemas": {}, array(profile): [{"id": name}], **members}
    loaded = load(json.dumps(fixture).encode())
    return ServedFixture(name=name, profile=profile, upstream=upstream or profile, loaded=loaded)


ALL = [
    reel("checkout"),
    reel("checkout-10"),
    reel("checkout-2"),
    reel("groq-one", upstream="groq"),
    reel("m", "mistral"),
    reel("a", "anthropic"),
]


def ask(
    answers: Answers, target: str, *, case: str | None = None, body: bytes = STREAM, method: str = "POST"
) -> Answer:
    headers = (("x-toolreel-case", case),) if case is not None else ()
    return answers.answer(Request(method=method, target=target, headers=headers, body=body))


def served(answers: Answers, target: str, *, case: str | None = None, times: int = 1) -> list[str | None]:
    return [ask(answers, target, case=case).fixture for _ in range(times)]


def test_a_header_or_a_prefix_names_the_case_and_its_turns_come_in_order_and_round_again() -> None:
    turns = ["checkout", "checkout-2", "checkout-10", "checkout"]
    assert served(Answers(FixtureMatcher(ALL)), "/v1/chat/completions", case="checkout", times=4) == turns
    assert served(Answers(FixtureMatcher(ALL)), "/case/checkout/v1/chat/completions?x=1", times=4) == turns
    assert served(Answers(FixtureMatcher(ALL)), "/case/checkout-2/v1/chat/completions", times=2) == ["checkout-2"] * 2
    assert served(Answers(FixtureMatcher(ALL)), "/case/m/v1/chat/completions", case="checkout") == ["m"]


def test_cases_move_on_by_themselves() -> None:
    answers = Answers(FixtureMatcher(ALL))
    first, other = "/case/checkout/v1/chat/completions", "/case/groq-one/openai/v1/chat/completions"
    assert [served(answers, target)[0] for target in (first, other, first)] == ["checkout", "groq-one", "checkout-2"]


def test_without_a_case_all_fixtures_that_fit_the_path_come_in_order() -> None:
    assert served(Answers(FixtureMatcher(ALL)), "/v1/chat/completions", times=6) == [
        "checkout",
        "checkout-10",
        "checkout-2",
        "groq-one",
        "m",
        "checkout",
    ]
    assert served(Answers(FixtureMatcher(ALL)), "/v1/messages?beta=true", times=2) == ["a", "a"]


def test_without_a_case_the_turns_of_each_case_follow_each_other_however_their_files_sort() -> None:
    by_file = [reel("a+10"), reel("a+2"), reel("a"), reel("b+2"), reel("c")]
    answers = Answers(FixtureMatcher(by_file, order=Order.ONCE))
    assert served(answers, "/v1/chat/completions", times=6) == ["a", "a+2", "a+10", "b+2", "c", None]


def test_the_name_of_a_provider_in_front_of_the_path_chooses_among_them() -> None:
    assert served(Answers(FixtureMatcher(ALL)), "/groq/openai/v1/chat/completions", times=2) == ["groq-one"] * 2
    assert served(Answers(FixtureMatcher(ALL)), "/mistral/v1/chat/completions") == ["m"]
    assert served(Answers(FixtureMatcher(ALL)), "/anthropic/v1/messages") == ["a"]


def test_a_provider_may_be_named_as_the_prefix_of_a_case_is() -> None:
    reels = [reel(name, upstream=name) for name in ("case", "case~", "v1", "..")]
    urls = base_urls("", [(one.upstream, one.profile) for one in reels])
    assert urls == {"case": "/case~/v1", "case~": "/case~~/v1", "v1": "/v1~/v1", "..": "/..~/v1"}
    for name, url in urls.items():
        assert served(Answers(FixtureMatcher(reels)), f"{url}/chat/completions", times=2) == [name] * 2
    assert served(Answers(FixtureMatcher(reels)), "/case/v1/chat/completions", times=2) == ["v1"] * 2
    assert served(Answers(FixtureMatcher(reels)), "/v1/chat/completions", times=4) == ["case", "case~", "v1", ".."]


def problem(answer: Answer) -> tuple[str, list[str]]:
    assert answer.status == NO_FIXTURE
    assert answer.fixture is None
    error = json.loads(answer.pieces[0].data)["error"]
    return error["message"], error["nearest"]


@pytest.mark.parametrize(
    ("target", "case", "says", "nearest"),
    [
        ("/v1/chat/completions", "chekout", "no fixture is named 'chekout'", "checkout"),
        ("/case/a/v1/chat/completions", None, "profile anthropic, which is asked for at .../v1/messages", "a"),
        ("/v1/embeddings", None, "no fixture is for a request to '/v1/embeddings'", "checkout"),
        ("/case/m", None, "profile mistral", "m"),
        ("/case/checkout-3/v1/chat/completions", None, "no fixture is named", "checkout"),
    ],
)
def test_a_request_that_fits_none_gets_599_and_the_nearest(
    target: str, case: str | None, says: str, nearest: str
) -> None:
    message, near = problem(ask(Answers(FixtureMatcher(ALL)), target, case=case))
    assert says in message
    assert near[0].startswith(nearest)
    assert all(name in message for name in near)


def test_a_request_for_no_stream_or_by_another_method_is_refused() -> None:
    answers = Answers(FixtureMatcher(ALL))
    assert '"stream": true' in problem(ask(answers, "/v1/messages", body=b'{"stream": false}'))[0]
    assert '"stream": true' in problem(ask(answers, "/v1/messages", body=b"{}"))[0]
    assert "POST" in problem(ask(answers, "/v1/messages", method="GET"))[0]
    assert problem(ask(answers, "/v1/messages", body=b"{}"))[0].endswith("; have the client ask so")
    for body in (b"", b"{", b"[]", b'{"stream": "true"}', b"[" * 100_000, b"\xff"):
        assert '"stream": true' in problem(ask(answers, "/v1/messages", body=body))[0]
    assert ask(answers, "/projects/x/models/a:streamRawPredict", body=b"").fixture == "a"
    coded = (("content-encoding", "gzip"),)
    assert answers.answer(Request(method="POST", target="/v1/messages", headers=coded, body=b"\x1f")).fixture == "a"


NAMES = ["mäx ü", "%C3%A4", "100%", "€", "m\udce4x"]


BOTH = [reel("chat"), reel("r", "openai-responses", upstream="openai"), reel("r-2", "openai-responses")]
KEPT_AT = "/v1/responses/resp_1?include=x&stream=true"


def test_a_response_is_asked_for_and_one_that_is_kept_is_retrieved() -> None:
    answers = Answers(FixtureMatcher(BOTH))
    assert served(answers, "/v1/responses", times=3) == ["r", "r-2", "r"]
    assert served(answers, "/openai/v1/responses?api-version=2026") == ["r"]
    assert served(answers, "/backend-api/codex/responses") == ["r-2"]
    for target in (f"/case/r{KEPT_AT}", f"/openai{KEPT_AT}", f"/openai-responses{KEPT_AT}"):
        assert ask(Answers(FixtureMatcher(BOTH)), target, body=b"", method="GET").fixture in ("r", "r-2")
    assert [ask(answers, KEPT_AT, case="r", body=b"", method="GET").fixture for _ in range(3)] == ["r", "r-2", "r"]


@pytest.mark.parametrize(
    ("method", "target", "says"),
    [
        ("GET", "/v1/responses/resp_1", "ask with ?stream=true"),
        ("GET", "/case/r/v1/responses/resp_1?stream=false", "ask with ?stream=true"),
        ("GET", "/v1/responses?stream=true", "a turn is asked for by POST"),
        ("GET", "/v1/responses/resp_1/input_items?stream=true", "a turn is asked for by POST"),
        ("DELETE", KEPT_AT, "a turn is asked for by POST"),
        ("HEAD", KEPT_AT, "a turn is asked for by POST"),
        ("POST", "/v1/responses/resp_1/cancel", "no fixture is for a request to"),
        ("POST", "/v1/responses/compact", "openai-responses: .../responses or GET .../responses/ID?stream=true"),
        ("GET", f"/case/chat{KEPT_AT}", "profile openai, which is asked for at .../chat/completions"),
        ("POST", "/case/r/v1/chat/completions", "at .../responses or GET .../responses/ID?stream=true"),
    ],
)
def test_what_asks_for_no_streamed_response_is_refused(method: str, target: str, says: str) -> None:
    assert says in problem(ask(Answers(FixtureMatcher(BOTH)), target, method=method))[0]


def test_a_retrieval_that_no_fixture_is_for_says_so() -> None:
    message, nearest = problem(ask(Answers(FixtureMatcher(ALL)), KEPT_AT, method="GET"))
    assert "no fixture is for a request to '/v1/responses/resp_1'; there are fixtures for" in message
    assert nearest


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_a_name_is_understood_in_each_form_that_it_can_be_sent_in(name: str) -> None:
    answers = Answers(FixtureMatcher([replace(reel("x"), name=one) for one in NAMES]))
    path = "/v1/chat/completions"
    raw = name.encode("utf-8", "surrogateescape").decode("latin-1")
    quoted = dict(ask(answers, f"/case/{encoded(name)}{path}").headers)["X-Toolreel-Fixture"]
    assert quoted.isascii()
    assert served(answers, f"/case/{quoted}{path}") == [name]
    assert served(answers, path, case=quoted) == [name]
    assert served(answers, path, case=raw) == [name]
    if "%" not in name:
        assert served(answers, f"/case/{raw}{path}") == [name]


def test_a_name_is_understood_as_latin_1_and_an_unknown_one_is_shown_as_it_was_meant() -> None:
    answers = Answers(FixtureMatcher([reel("mäx ü")]))
    assert served(answers, "/v1/chat/completions", case="mäx ü") == ["mäx ü"]
    for case in ("m%C3%A4x", "mäx", "mäx".encode().decode("latin-1")):
        message, nearest = problem(ask(answers, "/v1/chat/completions", case=case))
        assert "no fixture is named 'mäx'" in message
        assert nearest == ["mäx ü"]


def test_what_is_refused_does_not_move_a_case_on() -> None:
    answers = Answers(FixtureMatcher(ALL, order=Order.ONCE))
    ask(answers, "/case/checkout/v1/chat/completions", body=b"{}")
    assert served(answers, "/case/checkout/v1/chat/completions") == ["checkout"]


def test_in_order_once_nothing_follows_the_last_turn() -> None:
    answers = Answers(FixtureMatcher(ALL, order=Order.ONCE))
    assert served(answers, "/case/a/v1/messages") == ["a"]
    assert "its one turn was served" in problem(ask(answers, "/case/a/v1/messages"))[0]
    assert served(answers, "/case/checkout/v1/chat/completions", times=3)[-1] == "checkout-10"
    assert "all 3 turns were served" in problem(ask(answers, "/case/checkout/v1/chat/completions"))[0]


@pytest.mark.parametrize(
    ("end", "cut", "ending"),
    [
        (None, Cut.FIN, Ending.WHOLE),
        ("complete", Cut.RST, Ending.WHOLE),
        ("upstream_disconnected", Cut.FIN, Ending.FIN),
        ("upstream_disconnected", Cut.RST, Ending.RST),
        ("proxy_stopped", Cut.FIN, Ending.FIN),
        ("something_else", Cut.FIN, Ending.FIN),
        ("client_disconnected", Cut.RST, Ending.HOLD),
    ],
)
def test_a_stream_is_cut_by_the_side_that_cut_it(end: str | None, cut: Cut, ending: Ending) -> None:
    capture = {} if end is None else {"stream_end": end}
    answers = Answers(FixtureMatcher([reel("x", capture=capture)]), cut=cut)
    assert ask(answers, "/v1/chat/completions").ending is ending


def test_an_answer_has_the_headers_that_were_recorded_and_names_its_fixture() -> None:
    told = {"status": 203, "content_type": "text/event-stream; charset=utf-8", "content_coding": "gzip"}
    answer = ask(Answers(FixtureMatcher([reel("ä", transport=told)])), "/v1/chat/completions")
    assert answer.status == 203
    assert answer.headers == (
        ("Content-Type", "text/event-stream; charset=utf-8"),
        ("Content-Encoding", "gzip"),
        ("X-Toolreel-Fixture", "%C3%A4"),
    )


@pytest.mark.parametrize("status", [204, 205, 304])
def test_a_status_that_has_no_body_is_answered_without(status: int) -> None:
    answer = ask(Answers(FixtureMatcher([reel("x", transport={"status": status})])), "/v1/chat/completions")
    assert (answer.status, tuple(answer.pieces), answer.ending) == (status, (), Ending.WHOLE)


def test_no_request_and_no_payload_shows_in_a_repr() -> None:
    request = Request(method="POST", target="/CANARY", headers=(("x", "CANARY"),), body=b"CANARY")
    answer = ask(Answers(FixtureMatcher([reel("x", chunks=[{"id": "CANARY"}])])), "/v1/chat/completions")
    assert "CANARY" not in repr(request) + repr(answer) + repr(reel("x", chunks=["CANARY"]))


def test_fixtures_of_one_name_are_no_reels() -> None:
    with pytest.raises(ValueError, match="two fixtures have one name"):
        FixtureMatcher([reel("x"), reel("x")])
