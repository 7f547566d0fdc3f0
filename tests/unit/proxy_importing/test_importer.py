"""One entry to one outcome, counted once; the real redaction and a real folder."""

import gzip
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.recorded.importing import Importing

from proxy_addon.demo.bundled import bundled
from proxy_addon.importing import recognition
from proxy_addon.importing.entries import Entry, Unusable
from proxy_addon.importing.importer import END_HINT
from proxy_addon.importing.recognition import Claim
from proxy_addon.writing.outcomes.settled import Passed
from proxy_addon.writing.redacting.exchanges import MAX_REQUEST_BYTES
from proxy_addon.writing.storage.folder import FixtureFolder
from proxy_addon.writing.storage.room import Limits
from redaction import redactor
from redaction.captured.exchange import Ending, Exchange
from redaction.fixture import digest_of
from replay.validator.strict_json import parse

TURNS = {turn.case: turn for turn in bundled()}


def entry(case: str = "openai-one-call", **changes: Any) -> Entry:
    turn = TURNS[case]
    return replace(
        Entry(
            method="POST",
            url=f"https://api.openai.com{turn.path}",
            request_headers=(("user-agent", "OpenAI/Python 2.1.0"),),
            request_body=turn.request_body(),
            status=200,
            response_headers=(("Content-Type", "text/event-stream"),),
            body=turn.response_body(),
        ),
        **changes,
    )


def importer(
    folder: Path, *, ending: Ending | None = None, case: str | None = None, max_fixtures: int = 10, **options: Any
) -> Importing:
    out = FixtureFolder(folder, digest_of=digest_of, limits=Limits(files=max_fixtures))
    return Importing(out, ending=ending, case=case, **{"redact": redactor.redact, **options})


def only(folder: Path) -> Any:
    (path,) = folder.glob("*.json")
    return parse(path.read_text("utf-8"), max_nesting=512).value


def test_a_turn_is_written_once_and_says_where_it_comes_from(tmp_path: Path) -> None:
    run = importer(tmp_path)
    line = run.take(entry())
    (path,) = tmp_path.glob("*.json")
    assert line == f"written {path.name}, openai pass, no finding, calls: 1"
    line = run.take(entry())
    assert line.startswith(
        f"same shape as {path.name}, openai pass, no finding, calls: 1; events, tools and transport "
    )
    capture = only(tmp_path)["capture"]
    assert (capture["provider"], capture["mode"], capture["stream_end"]) == ("openai", "import", "complete")
    assert capture["adapter"] == {"name": "openai-python", "version": "2.1.0"}
    assert run.clean
    assert run.lines()[0].startswith("captured 2: 1 written, 1 same shape as one already there, 0 refused")


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"method": "GET"}, Passed.OTHER_PATH),
        ({"url": "https://api.openai.com/v1/embeddings"}, Passed.OTHER_PATH),
        ({"status": 429}, Passed.OTHER_STATUS),
        ({"response_headers": (("content-type", "application/json; charset=utf-8"),)}, Passed.NOT_A_STREAM),
        ({"response_headers": (), "body": b'{"choices": []}'}, Passed.NOT_A_STREAM),
        ({"response_headers": (), "request_body": b"{}"}, Passed.NOT_A_STREAM),
    ],
)
def test_what_is_no_streamed_turn_is_passed_over(changes: dict[str, Any], why: Passed, tmp_path: Path) -> None:
    run = importer(tmp_path)
    assert run.take(entry(**changes)) == f"passed over, {why.value}"
    assert run.clean
    assert run.lines()[1:] == ["passed through without capture: 1", f"  {why.value}: 1"]
    assert not list(tmp_path.iterdir())


def test_a_stream_that_names_no_type_is_one_if_its_request_asked_for_it(tmp_path: Path) -> None:
    assert importer(tmp_path).take(entry(response_headers=())).startswith("written ")
    assert only(tmp_path)["transport"]["content_type"] is None


@pytest.mark.parametrize(
    ("item", "why"),
    [
        (Unusable.ENCODING, Unusable.ENCODING),
        (entry(body=None), Unusable.NO_BODY),
        (entry(url="http://[::1"), Unusable.NO_EXCHANGE),
    ],
)
def test_what_cannot_be_used_is_counted_and_is_not_clean(item: Any, why: Unusable, tmp_path: Path) -> None:
    run = importer(tmp_path)
    assert run.take(item) == f"not usable: {why.value}"
    assert not run.clean
    assert run.lines()[-2:] == ["entries that could not be used: 1", f"  {why.value}: 1"]


def test_a_body_that_is_not_in_the_source_matters_only_where_it_would_be_a_turn(tmp_path: Path) -> None:
    run = importer(tmp_path)
    assert run.take(entry(body=None, method="GET")) == f"passed over, {Passed.OTHER_PATH.value}"
    assert run.take(Passed.NO_RESPONSE) == f"passed over, {Passed.NO_RESPONSE.value}"
    assert run.clean


def test_a_refusal_is_said_with_its_reason_and_is_not_clean(tmp_path: Path) -> None:
    run = importer(tmp_path)
    broken = gzip.compress(TURNS["openai-one-call"].response_body())[:-8] + b"\0" * 8
    headers = (("content-type", "text/event-stream"), ("content-encoding", "gzip"))
    line = run.take(entry(body=broken, response_headers=headers))
    assert line.startswith("refused, content coding unknown or broken")
    assert not run.clean
    assert not list(tmp_path.iterdir())


CODED = (("content-encoding", "gzip"),)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"request_headers": CODED, "request_body": b"\xff no gzip"}, "request that cannot be decoded"),
        ({"request_headers": CODED, "request_body": gzip.compress(b"{}")[:-1]}, "request that cannot be decoded"),
        ({"request_headers": (("content-encoding", "x"),), "request_body": b"\xff"}, "request that cannot be decoded"),
        ({"request_body": bytes(MAX_REQUEST_BYTES + 1)}, "request over the limit of the recorder"),
    ],
    ids=["broken", "cut", "unknown coding", "long"],
)
def test_a_turn_whose_request_cannot_be_read_is_dropped(changes: dict[str, Any], why: str, tmp_path: Path) -> None:
    run = importer(tmp_path)
    assert run.take(entry(**changes)).startswith(f"dropped, {why}; ")
    assert not run.clean
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("undone", [True, False])
def test_a_request_is_read_whether_or_not_the_source_has_undone_its_coding(undone: bool, tmp_path: Path) -> None:
    body = TURNS["openai-one-call"].request_body()
    run = importer(tmp_path)
    assert run.take(entry(request_headers=CODED, request_body=body if undone else gzip.compress(body))).startswith(
        "written "
    )
    assert only(tmp_path)["tool_schemas"]


def test_a_bug_is_said_by_its_type_alone(tmp_path: Path) -> None:
    def with_a_bug(found: Exchange) -> Any:
        raise LookupError(found.body)

    run = importer(tmp_path, redact=with_a_bug)
    assert run.take(entry()).startswith("dropped, bug in the redaction (LookupError); that is a bug of toolreel: ")
    assert not run.clean


def test_the_folder_has_a_bound(tmp_path: Path) -> None:
    run = importer(tmp_path, max_fixtures=1)
    assert run.take(entry()).startswith("written ")
    assert run.take(entry("openai-colliding")) == "dropped, over --max-fixtures; --max-fixtures N raises the bound"
    assert not run.clean


@pytest.mark.parametrize(
    ("ending", "said"),
    [
        (None, "upstream_disconnected"),
        (Ending.MESSAGE_END, "complete"),
        (Ending.CLIENT, "client_disconnected"),
        (Ending.UPSTREAM, "upstream_disconnected"),
    ],
)
def test_a_stream_without_its_marker_is_complete_only_where_somebody_says_so(
    ending: Ending | None, said: str, tmp_path: Path
) -> None:
    body = TURNS["openai-one-call"].response_body().removesuffix(b"data: [DONE]\n\n")
    importer(tmp_path, ending=ending).take(entry(body=body))
    assert only(tmp_path)["capture"]["stream_end"] == said


def test_a_stream_with_its_marker_is_complete_whoever_cut_it(tmp_path: Path) -> None:
    importer(tmp_path, ending=Ending.CLIENT).take(entry())
    assert only(tmp_path)["capture"]["stream_end"] == "complete"


def test_a_case_names_the_file_and_each_further_turn_gets_a_number(tmp_path: Path) -> None:
    run = importer(tmp_path, case="weather")
    lines = [run.take(entry()), run.take(entry("openai-colliding")), run.take(entry())]
    assert [line.partition(",")[0] for line in lines] == [
        "written weather.json",
        "written weather+2.json",
        "written weather+3.json",
    ]
    again = importer(tmp_path, case="weather")
    lines = [again.take(entry()), again.take(entry()), again.take(entry())]
    assert [line.partition(",")[0] for line in lines] == [
        "same shape as weather.json",
        "left out",
        "same shape as weather+3.json",
    ]
    assert not again.clean


def test_schemas_that_the_request_lacks_are_added(tmp_path: Path) -> None:
    turn = TURNS["openai-one-call"]
    schemas = {tool["function"]["name"]: tool["function"]["parameters"] for tool in turn.request["tools"]}  # type: ignore[attr-defined]
    run = importer(tmp_path, schemas=schemas)
    assert "openai pass" in run.take(entry(request_body=None))


def test_a_body_on_its_own_is_what_the_user_says(tmp_path: Path) -> None:
    found = recognition.declared(Claim(profile="openai"))
    assert found is not None
    run = importer(tmp_path)
    assert run.take_body(entry(url="", request_headers=(), response_headers=()), found).startswith("written custom-")
    for body, why in (
        (b'{"error": "no stream"}', Unusable.ERROR),
        (b"<html>", Unusable.NO_EVENT),
        (gzip.compress(b"{}"), Unusable.NO_STREAM),
    ):
        assert run.take_body(entry(url="", body=body), found) == f"not usable: {why.value}"
    line = run.take_body(entry(url="", body=b"x", response_headers=(("content-encoding", "lzma"),)), found)
    assert line.startswith("refused, content coding unknown or broken")


def test_the_values_around_an_exchange_are_given_to_the_gate(tmp_path: Path) -> None:
    seen: list[Exchange] = []

    def note(found: Exchange) -> Any:
        seen.append(found)
        return redactor.redact(found)

    url = "https://me:pass%20word@api.openai.com/v1/chat/completions?key=query%20value"
    headers = (("Authorization", "Bearer tok"), ("Cookie", "a=cook; b=ie"))
    answered = (("content-type", "text/event-stream"), ("x-request-id", "req"))
    importer(tmp_path, redact=note).take(entry(url=url, request_headers=headers, response_headers=answered))
    assert {"me", "pass%20word", "pass word", "query value", "tok", "cook", "ie", "req"} <= set(seen[0].secrets)


def test_an_end_marker_as_the_unterminated_last_line_ends_the_stream(tmp_path: Path) -> None:
    run = importer(tmp_path)
    body = TURNS["openai-one-call"].response_body()
    assert body.endswith(b"data: [DONE]\n\n")
    for cut in (1, 2):
        assert "openai pass" in run.take(entry(body=body[:-cut]))
    transport = only(tmp_path)["transport"]  # the two are one shape
    assert (transport["done"], transport["unterminated_done"]) == (1, True)


def test_a_user_who_says_that_a_stream_is_whole_is_believed(tmp_path: Path) -> None:
    body = TURNS["anthropic-one-call"].response_body().partition(b"event: message_stop")[0] + b": cut here"
    url = "https://api.anthropic.com/v1/messages"
    told = importer(tmp_path / "told", ending=Ending.WHOLE)
    assert "missing_terminal" in told.take(entry("anthropic-one-call", url=url, body=body))
    assert only(tmp_path / "told")["capture"]["stream_end"] == "complete"


def test_a_turn_that_lacks_nothing_but_a_sign_of_its_end_says_so_with_the_option(tmp_path: Path) -> None:
    run = importer(tmp_path)
    whole = TURNS["anthropic-one-call"].response_body()
    blocks = b"".join(part + b"\n\n" for part in whole.split(b"\n\n") if b"content_block" in part)
    url = "https://api.anthropic.com/v1/messages"
    assert run.take(entry("anthropic-one-call", url=url, body=blocks)).endswith(END_HINT)
    told = importer(tmp_path, ending=Ending.WHOLE)
    assert told.take(entry("anthropic-one-call", url=url, body=blocks)).endswith("anthropic pass, no finding, calls: 1")
    lost = TURNS["openai-one-call"].response_body().partition(b'"finish_reason":"tool_calls"')[0]
    assert END_HINT not in run.take(entry(body=lost))
