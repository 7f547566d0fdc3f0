"""The closed vocabulary, read back from finished bytes: every key, string and number must be known to it.

Written apart from the masks, and by key name rather than by position, so that one cannot vouch for the other. A value
is allowed if it is a protocol word of its key, a name or bound that the fixture's own tool schemas declare, or a
placeholder. In: what the bytes of a fixture read back as. Out: the places that hold anything else, in closed words.
Nothing is guessed.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final
from urllib.parse import unquote

from replay.validator.schema.formats import FORMATS

from .payloads import Break
from .policy import MODEL_FAMILIES, PUBLIC_MODELS, UNKNOWN_MODEL
from .samples import CONTRARY, SchemaNumbers, schema_texts

_PLACEHOLDER: Final = re.compile(r"x")
_OTHER: Final = re.compile(r"other_[0-9]{1,6}(?:_tool_result)?")
_UNKNOWN_KEY: Final = re.compile(r"unknown_[0-9]{1,6}")
_UNDECLARED: Final = re.compile(r"undeclared_[0-9]{1,6}")
_CALL_ID: Final = re.compile(r"(?:call_|toolu_|item_)[0-9]{8}|call[0-9]{5}|null")
_COMPLETION_ID: Final = re.compile(r"(?:chatcmpl-|cmpl-|msg_|call_|toolu_|item_)[0-9]{8}|call[0-9]{5}|null")
_INDEX_LIMIT: Final = 2 * 4096

_STOPS: Final = "end_turn max_tokens stop_sequence tool_use pause_turn refusal compaction model_context_window_exceeded"
_FINISHES: Final = "stop length tool_calls content_filter function_call error model_length"
_ERRORS: Final = (
    "invalid_request_error authentication_error permission_error not_found_error rate_limit_error timeout_error "
    "overloaded_error api_error server_error billing_error request_too_large tool_use_failed error"
)
_TYPES: Final = (
    "message_start content_block_start content_block_delta content_block_stop message_delta message_stop ping error "
    "message function custom text thinking redacted_thinking tool_use server_tool_use mcp_tool_use container_upload "
    "compaction fallback web_search_tool_result web_fetch_tool_result code_execution_tool_result "
    "bash_code_execution_tool_result text_editor_code_execution_tool_result mcp_tool_result tool_search_tool_result "
    "advisor_tool_result text_delta input_json_delta citations_delta thinking_delta signature_delta compaction_delta "
    "char_location page_location content_block_location web_search_result_location search_result_location reference "
    "image_url refusal reasoning.text reasoning.summary reasoning.encrypted "
)
# The words that a payload may say, by the key that says them.
WORDS: Final[Mapping[str, frozenset[str]]] = {
    key: frozenset(words.split())
    for key, words in {
        "object": "chat.completion.chunk chat.completion text_completion",
        "role": "assistant system user tool developer",
        "finish_reason": _FINISHES,
        "stop_reason": _STOPS,
        "code": _ERRORS,
        "type": f"{_TYPES} {_ERRORS} {_STOPS}",
    }.items()
}
KEYS: Final = frozenset(
    (
        "id object created model choices type error usage service_tier system_fingerprint tool_calls function_call "
        "obfuscation p provider message index delta finish_reason logprobs text native_finish_reason "
        "content_filter_results role content refusal reasoning reasoning_content reasoning_details name annotations "
        "audio function arguments thinking closed reference_ids summary data signature format code param status "
        "status_code failed_generation prompt_tokens completion_tokens total_tokens prompt_tokens_details "
        "completion_tokens_details input_tokens output_tokens cache_creation_input_tokens cache_read_input_tokens "
        "cache_creation server_tool_use output_tokens_details cost content_block stop_reason stop_sequence "
        "stop_details container category explanation request_id context_management input citations tool_use_id "
        "is_error caller server_name encrypted_content file_id from to trigger partial_json citation cited_text "
        "document_index document_title encrypted_index title url source start_char_index end_char_index "
        "start_page_number end_page_number start_block_index end_block_index search_result_index"
    ).split()
)
_MODELS: Final = PUBLIC_MODELS | {*MODEL_FAMILIES, UNKNOWN_MODEL, ""}

_TOP: Final = frozenset(
    ("fixture_version", "profile", "tool_schemas", "allow", "capture", "transport", "chunks", "events")
)
_PROVIDER: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")
_VERSION: Final = re.compile(r"[0-9]{1,4}(?:\.[0-9]{1,4}){1,2}")
# What `capture` and `transport` may say, by key: an expression over the value as text.
_FACTS: Final[Mapping[str, str]] = {
    "capture.provider": _PROVIDER.pattern,
    "capture.api": r"chat\.completions|messages",
    "capture.mode": "reverse|forward|import",
    "capture.tool_choice": "auto|none|required|named",
    "capture.parallel_tool_calls": "True|False",
    "capture.stream_end": "complete|client_disconnected|upstream_disconnected|proxy_stopped",
    "capture.policy": "[0-9]{1,4}",
    "capture.rung": "canonical|exact_lengths|widths",
    "capture.lengths": "exact",
    "capture.adapter.name": "openai-python|openai-node|anthropic-python|anthropic-node|mistralai-python|curl",
    "capture.adapter.version": _VERSION.pattern,
    "transport.status": "[1-5][0-9]{2}",
    "transport.content_type": r"text/event-stream(?:; ?charset=(?:utf-8|UTF-8))?|other",
    "transport.content_coding": "identity|gzip|deflate|br|zstd",
    "transport.framing": "sse",
    "transport.line_ends.*": "lf|crlf|cr",
    "transport.done": "[0-9]{1,6}",
    "transport.byte_order_mark": "True",
    "transport.unterminated_event": "True",
    "transport.event_names": "type",
    "transport.event_names.*": (
        "|message_start|content_block_start|content_block_delta|content_block_stop|message_delta|message_stop|ping|error"
        "|message|done|x"
    ),
    "transport.comments.*.*": "[0-9]{1,7}",
    "transport.ids.*": "[0-9]{1,7}",
    "transport.retries.*": "[0-9]{1,7}",
}


@dataclass(frozen=True, slots=True)
class Stranger:
    """A place that holds what the vocabulary does not know: the class of the place, and nothing of the value."""

    place: str
    event: int | None = None  # the payload that holds it


@dataclass(slots=True)
class _Declared:
    """What the fixture's own tool schemas declare."""

    tools: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)
    numbers: set[Decimal] = field(default_factory=set)
    assertions: list[tuple[str, object]] = field(default_factory=list)
    distinct: bool = False  # values or keys that schemas tell apart: they need more than one placeholder
    samples: SchemaNumbers | None = None
    judged: dict[tuple[str, str], bool] = field(default_factory=dict)  # texts and numbers that were looked up
    widths: bool = False  # whether text may be a run of placeholders
    spoken: set[str] = field(default_factory=set)  # every word of the schemas that may stand there


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """What one fixture may say, and the places where it says anything else."""

    strangers: tuple[Stranger, ...]
    _declared: _Declared = field(repr=False)

    def in_arguments(self, texts: Iterable[str]) -> Iterator[Stranger]:
        """The places of assembled argument texts that the vocabulary does not cover."""
        for text in texts:
            yield from _argument_strangers(text, self._declared)

    def explains(self, word: str) -> bool:
        """Whether a fixture without any conversation could hold `word`."""
        text = word.removeprefix("\ufeff")  # which may stand before any argument text
        return (
            not text
            or word in _EVERY_WORD
            or word in self._declared.spoken
            or word in _SCHEMA_WORDS
            or any(expression.fullmatch(text) for expression in (*_PLACEHOLDERS, _ARGUMENT_WORD))
            or _argument_text(text, self._declared)
            or (_NUMERIC.fullmatch(text) is not None and _argument_number(text.rstrip(".eE+-"), self._declared))
        )

    def of_calls(self, calls: object) -> Iterator[Stranger]:
        """The places of a pin's calls that the vocabulary of its fixture does not cover."""
        for call in _items(calls):
            for key, value in call.items() if isinstance(call, dict) else ():
                if not isinstance(value, str) or key == "state":
                    continue
                if key == "arguments":
                    yield from _argument_strangers(value, self._declared)
                elif not _text_allowed(key, value, self._declared):
                    yield Stranger(f"{key} of a call" if key in ("id", "name") else "call")


def vocabulary_of(fixture: object) -> Vocabulary:
    """The vocabulary of a fixture, given as its file reads back; equal payloads may be one object."""
    declared = _Declared()
    return Vocabulary(strangers=tuple(_strangers(fixture, declared)), _declared=declared)


def _strangers(fixture: object, declared: _Declared) -> Iterator[Stranger]:
    """Every place of a fixture that the closed vocabulary does not cover; fills in what the fixture declares."""
    if not isinstance(fixture, dict):
        yield Stranger("file")
        return
    for key in fixture:
        if key not in _TOP:
            yield Stranger("top-level key")
    if fixture.get("fixture_version") != 1 or fixture.get("profile") not in _PROFILES:
        yield Stranger("profile or version")
    schemas = fixture.get("tool_schemas")
    for name, schema in schemas.items() if isinstance(schemas, dict) else ():
        declared.tools.add(name)
        yield from _schema(schema, declared)
        declared.spoken.add(name)
    if any(name not in _ALLOWANCES for name in _items(fixture.get("allow"))):
        yield Stranger("allow")
    for part in ("capture", "transport"):
        yield from _facts(fixture.get(part, {}), part)
    capture = fixture.get("capture")
    if isinstance(capture, dict):
        declared.widths = capture.get("lengths") == "exact"
        if isinstance(capture.get("provider"), str):
            declared.spoken.add(capture["provider"])
    clean: set[int] = set()
    for event, payload in enumerate([*_items(fixture.get("chunks")), *_items(fixture.get("events"))]):
        if id(payload) in clean:
            continue
        found = list(_payload(payload, declared))
        yield from (Stranger(stranger.place, event) for stranger in found)
        if not found:
            clean.add(id(payload))


_PROFILES: Final = ("openai", "mistral", "anthropic")
_ALLOWANCES: Final = (
    "repeated_terminal",
    "named_choice_stop",
    "unindexed_whole_call",
    "empty_arguments",
    "message_mirror",
)
_NUMERIC: Final = re.compile(r"-?[0-9.eE+-]+")
# An index, a status or a count. Which numbers may stand where is what the structure check decides.
_COUNT: Final = re.compile(r"[0-9]{1,4}")
_PLACEHOLDERS: Final = (_COUNT, _PLACEHOLDER, _OTHER, _UNKNOWN_KEY, _UNDECLARED, _COMPLETION_ID, _VERSION)
# Every word of the protocol, whatever its key: what an empty conversation could say.
_EVERY_WORD: Final = frozenset(
    {
        *KEYS,
        *_TOP,
        *_MODELS,
        *_PROFILES,
        *_ALLOWANCES,
        *(word for words in WORDS.values() for word in words),
        *(part for place in _FACTS for part in place.split(".")),
        *(
            "chat.completions messages reverse import true false null auto none required named complete "
            "client_disconnected upstream_disconnected proxy_stopped canonical exact_lengths widths exact "
            "openai-python openai-node "
            "anthropic-python anthropic-node mistralai-python curl other identity gzip deflate br zstd sse lf crlf cr "
            "type done forward text/event-stream 0 0.5 -1 2147483648"
        ).split(),
        "text/event-stream; charset=utf-8",
        "text/event-stream;charset=utf-8",
        "text/event-stream; charset=UTF-8",
        "text/event-stream;charset=UTF-8",
        *(kind.value for kind in Break),
    }
)


def _strings(start: object) -> Iterator[str]:
    waiting = [start]
    while waiting:
        here = waiting.pop()
        if isinstance(here, str):
            yield here
        elif isinstance(here, dict):
            yield from here
            waiting += here.values()
        elif isinstance(here, list):
            waiting += here
        elif here is not None:
            yield str(here)


_SCHEMA: Final = frozenset("items additionalProperties contains propertyNames not if then else".split())
_SCHEMA_LISTS: Final = frozenset("allOf anyOf oneOf prefixItems".split())
_SCHEMA_MAPS: Final = frozenset("properties patternProperties dependentSchemas $defs definitions".split())
_DATA: Final = frozenset(
    (
        "type enum const minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems "
        "maxItems minContains maxContains minProperties maxProperties pattern format required uniqueItems "
        "dependentRequired $ref"
    ).split()
)
_SCHEMA_WORDS: Final = frozenset({*_SCHEMA, *_SCHEMA_LISTS, *_SCHEMA_MAPS, *_DATA, "unknown_keyword"})
# Keywords whose own value is a word of the standard, or a place in the document.
_TYPE_NAMES: Final = frozenset("null boolean object array number string integer".split())
_CLOSED: Final[Mapping[str, Callable[[object], bool]]] = {
    "type": lambda value: isinstance(value, str) and value in _TYPE_NAMES,
    "format": lambda value: isinstance(value, str) and value in FORMATS,
    "$ref": lambda value: isinstance(value, str) and value.startswith("#"),
}
_DEFINITIONS: Final = ("$defs", "definitions")
_DEFINITION: Final = re.compile(r"def_[0-9]{1,6}")


def _schema(start: object, declared: _Declared) -> Iterator[Stranger]:
    """The keywords of a schema, and what it declares."""
    waiting = [start]
    references: list[str] = []
    while waiting:
        here = waiting.pop()
        if isinstance(here, bool):
            continue
        if not isinstance(here, dict):
            yield Stranger("schema")
            continue
        for keyword, value in here.items():
            declared.distinct = declared.distinct or keyword in ("uniqueItems", "patternProperties", "propertyNames")
            if keyword in _SCHEMA:
                waiting.append(value)
            elif keyword in _SCHEMA_LISTS:
                waiting += _items(value)
            elif keyword in _SCHEMA_MAPS and isinstance(value, dict):
                waiting += value.values()
                declared.spoken.update(
                    name for name in value if keyword not in _DEFINITIONS or _DEFINITION.fullmatch(name)
                )
                if keyword in ("properties", "dependentSchemas"):
                    declared.names.update(value)
                elif keyword == "patternProperties":
                    declared.assertions += [("pattern", pattern) for pattern in value]
                elif any(not _DEFINITION.fullmatch(name) for name in value):
                    yield Stranger("schema definition")
            elif keyword in _DATA:
                if keyword in _CLOSED and not all(_CLOSED[keyword](item) for item in _items(value) or [value]):
                    yield Stranger(f"schema {keyword}")
                elif isinstance(value, str) and keyword == "$ref":
                    references.append(value)
                else:
                    declared.spoken.update(_strings(value))
                _declare(keyword, value, declared)
            elif (keyword, value) != ("unknown_keyword", True):
                yield Stranger("schema keyword")
    for reference in references:
        if all(_step(token, declared) for token in unquote(reference).split("/")[1:]):
            declared.spoken.add(reference)
        else:
            yield Stranger("schema $ref")


def _step(token: str, declared: _Declared) -> bool:
    """Whether a reference may pass there: by a keyword, a place in a list, or a name that stands in the schema."""
    name = token.replace("~1", "/").replace("~0", "~")
    return name in _SCHEMA_WORDS or name in declared.spoken or _COUNT.fullmatch(name) is not None


def _declare(keyword: str, value: object, declared: _Declared) -> None:
    if keyword in ("enum", "const"):
        waiting = [value]
        while waiting:
            here = waiting.pop()
            if isinstance(here, str):
                declared.texts.add(here)
            elif isinstance(here, dict):
                declared.texts.update(here)
                waiting += here.values()
            elif isinstance(here, list):
                waiting += here
            elif isinstance(here, (int, Decimal)) and not isinstance(here, bool):
                declared.numbers.add(Decimal(here))
    elif keyword == "required":
        declared.names.update(item for item in _items(value) if isinstance(item, str))
    elif keyword == "dependentRequired" and isinstance(value, dict):
        declared.names.update(value)
        declared.names.update(name for names in value.values() for name in _items(names) if isinstance(name, str))
    else:
        declared.assertions.append((keyword, value))


def _facts(value: object, place: str) -> Iterator[Stranger]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _facts(inner, f"{place}.{key}")
    elif isinstance(value, list):
        for inner in value:
            yield from _facts(inner, f"{place}.*")
    elif place == "capture.model":
        if value not in _MODELS:
            yield Stranger(place)
    elif value is not None and (place not in _FACTS or not re.fullmatch(_FACTS[place], str(value))):
        yield Stranger("capture or transport")


_BREAKS: Final = frozenset(kind.value for kind in Break)


def _payload(payload: object, declared: _Declared) -> Iterator[Stranger]:
    """One payload by itself; argument text is judged assembled, by `Vocabulary.in_arguments`."""
    if isinstance(payload, str):
        if payload not in _BREAKS:
            yield Stranger("payload that is no JSON")
        return
    waiting: list[tuple[str, object]] = [("", payload)]
    while waiting:
        key, value = waiting.pop()
        if isinstance(value, dict):
            for name, inner in value.items():
                if name not in KEYS and not _UNKNOWN_KEY.fullmatch(name) and not (key == "input" and name == "key_1"):
                    yield Stranger(f"key in {key or 'payload'}")
                waiting.append((name, inner))
        elif isinstance(value, list):
            waiting += [(key, inner) for inner in value]
        elif isinstance(value, str):
            if key not in ("arguments", "partial_json") and not _text_allowed(key, value, declared):
                yield Stranger(f"text of {_key(key)}")
        elif value is True or not _number_allowed(key, value):
            yield Stranger(f"value of {_key(key)}")


def _key(key: str) -> str:
    return key if key in KEYS else "an unknown key"


def _text_allowed(key: str, value: str, declared: _Declared) -> bool:
    if not value or _PLACEHOLDER.fullmatch(value) or (declared.widths and not value.strip("x")):
        return True
    if key in WORDS and (value in WORDS[key] or _OTHER.fullmatch(value)):
        return True
    if key == "model":
        return value in _MODELS
    if key == "name":
        return value in declared.tools or _UNDECLARED.fullmatch(value) is not None
    if key == "id":
        return _COMPLETION_ID.fullmatch(value) is not None
    return key == "tool_use_id" and _CALL_ID.fullmatch(value) is not None


def _number_allowed(key: str, value: object) -> bool:
    if value is None or value is False:
        return True
    if key == "index":
        return value == Decimal("0.5") or (isinstance(value, int) and (-1 <= value <= _INDEX_LIMIT or value == 2**31))
    return value == 0


# The tokens of argument text, whatever its state: complete and open strings, numbers, words, all else one by one.
_TOKEN: Final = re.compile(
    r'"(?P<text>(?:[^"\\]|\\(?:[^u]|u[0-9a-fA-F]{4}))*+)(?P<close>"?)'
    r"|(?P<number>-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)|(?P<word>[A-Za-z]+)|(?P<rest>.)",
    re.DOTALL,
)
_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_SHORT_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_PAIR: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")
# A raw tab is what stands for any control character that broke a string.
_ARGUMENT_TEXT: Final = re.compile(
    "[x\U0001f600\ud800]*(?:\tx*)?|(?:key|x)_[0-9]{1,7}x*(?:\tx*)?|([" + re.escape(CONTRARY) + "])\\1*"
)
_ARGUMENT_WORD: Final = re.compile(
    r"(?:true|false|null|NaN|-?Infinity|[eEu])?x*|t|tr|tru|f|fa|fal|fals|n|nu|nul|N|Na|I(?:n(?:f(?:i(?:n(?:it?)?)?)?)?)?"
)
_ARGUMENT_REST: Final = frozenset('{}[],: \t\\.+-\ufeff"')
_ROUND: Final = re.compile(r"-?(?:0{1,3}|10*)(?:\.[05]?0*)?(?:e999)?")


def _argument_strangers(text: str, declared: _Declared) -> Iterator[Stranger]:
    """The places of an assembled argument text that the vocabulary does not cover, token by token."""
    for match in _TOKEN.finditer(text):
        if match["rest"] is not None:
            if match["rest"] not in _ARGUMENT_REST:
                yield Stranger("argument text")
        elif match["number"] is not None:
            if not _argument_number(match["number"], declared):
                yield Stranger("argument number")
        elif match["word"] is not None:
            if not _ARGUMENT_WORD.fullmatch(match["word"]):
                yield Stranger("argument word")
        elif not _argument_text(_unescaped(match["text"]), declared):
            yield Stranger("argument string")


def _unescaped(raw: str) -> str:
    def one(match: re.Match[str]) -> str:
        return chr(int(match[1], 16)) if match[1] else _SHORT_ESCAPES.get(match[2], match[2])

    text = _ESCAPE.sub(one, raw) if "\\" in raw else raw
    return _PAIR.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)


def _argument_text(value: str, declared: _Declared) -> bool:
    if not value or _ARGUMENT_TEXT.fullmatch(value) or value in declared.names or value in declared.texts:
        return True
    if ("text", value) not in declared.judged:
        declared.judged["text", value] = schema_texts(value, declared.assertions, distinct=declared.distinct)
    return declared.judged["text", value]


def _argument_number(text: str, declared: _Declared) -> bool:
    if _ROUND.fullmatch(text):
        return True
    if ("number", text) not in declared.judged:
        if declared.samples is None:
            declared.samples = SchemaNumbers(declared.assertions, distinct=declared.distinct)
        plain = _WRITTEN_OUT.fullmatch(text) is not None and Decimal(text) in declared.numbers
        declared.judged["number", text] = plain or declared.samples.hold(text)
    return declared.judged["number", text]


# A number without exponent, and with no zeros before it that could say something.
_WRITTEN_OUT: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")


def _items(value: object) -> list[object]:
    return value if isinstance(value, list) else []
