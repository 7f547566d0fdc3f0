"""What `capture.derived` of a fixture can say: the names of the kinds, and of what a kind can have beside it.

`replay.derive` makes such fixtures, and a test holds these lists and its tables together. Redaction reads them to prove
that a fixture says nothing else. A name here is permanent.

Some kinds are known by a text that no recording may show, such as the block of Markdown around `{"city":"x"}`. `UNDONE`
takes that text away again, so that what is left can be proved like the arguments of any fixture.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

KINDS: Final = frozenset(
    (
        "absent-arguments array beyond-ascii blank-arguments blank-input broken-payload by-path "
        "byte-order-mark call-behind-terminal call-forbidden comments continued-as-other continues-nothing "
        "copies-alone copy-differs cut-after-arguments cut-after-call cut-after-start cut-by-length "
        "cut-in-arguments delta-behind-stop delta-behind-terminal duplicate-key early-end-marker "
        "empty-arguments empty-deltas empty-pieces encoded-twice end-of-message-lost ended-as-text "
        "ended-by-filter ended-by-length equal-calls error-at-the-end error-in-the-middle event-doubled "
        "event-lost every-character extra-brace first-fragment-lost fragment-doubled fragment-moved "
        "fragments-swapped half-surrogate id-lost id-of-other-call in-escapes index-is-negative index-is-text "
        "index-lost infinity interleaved item-differs json-bare-name json-comma json-comment json-cut "
        "json-escape json-fence json-leading-zero json-line-end json-python-words json-single-quotes "
        "last-fragment-lost late-id late-id-by-path late-identity late-name legacy-call list-adds-call "
        "list-differs list-lacks-call malformed-call-claimed multi-byte name-in-pieces name-lost nan no-call "
        "no-object no-text-done null object-for-text one-delta orphan other-call-type other-choice "
        "other-id-at-end other-item-id other-order other-response overflow parallel parallel-forbidden "
        "piece-without-place pings prose-before repeated-identity reused-index same-id schema-any-of "
        "schema-const schema-contains schema-dependent-required schema-enum schema-exclusive-maximum "
        "schema-exclusive-minimum schema-extra-member schema-format schema-max-items schema-max-length "
        "schema-max-properties schema-maximum schema-min-items schema-min-length schema-min-properties "
        "schema-minimum schema-multiple-of schema-not schema-one-of schema-pattern schema-property-names "
        "schema-required schema-type schema-unique-items second-object second-stop second-terminal "
        "sparse-indices start-of-message-lost start-twice stop-lost surrogate-pair terminal-without-call "
        "text-before text-between text-for-object too-deep too-deep-object too-many-calls two-candidates "
        "unknown-event unknown-tool unsupported-schema usage-first whole-at-once "
    ).split()
)
TWINS: Final = frozenset({"pings", "comments", "every-character", "empty-deltas"})
# The faults that any other fault can have beside it.
SECONDS: Final = frozenset(
    (
        "array broken-payload byte-order-mark call-forbidden duplicate-key encoded-twice error-in-the-middle "
        "extra-brace half-surrogate infinity json-comma json-cut nan no-object null overflow schema-any-of "
        "schema-const schema-contains schema-dependent-required schema-enum schema-exclusive-maximum "
        "schema-exclusive-minimum schema-extra-member schema-format schema-max-items schema-max-length "
        "schema-max-properties schema-maximum schema-min-items schema-min-length schema-min-properties "
        "schema-minimum schema-multiple-of schema-not schema-one-of schema-pattern schema-property-names "
        "schema-required schema-type schema-unique-items too-deep unknown-event unknown-tool "
    ).split()
)
# What `toolreel reduce` and `toolreel search` make.
REDUCED: Final = "reduced"
FOUND: Final = "found"
NAMES: Final = KINDS | {REDUCED, FOUND} | {f"{kind}+{beside}" for kind in KINDS for beside in TWINS | SECONDS}


# The name of the member that some kinds add.
ADDED: Final = '"toolreel_added"'


def _without_member(text: str, value: str) -> str:
    """The text without the member that has this value, and without the comma before it."""
    member = f"{ADDED}:{value}"
    return text.replace("," + member, "", 1) if "," + member in text else text.replace(member, "", 1)


def _without_bare_name(text: str) -> str:
    return "{" + text.removeprefix("{x:1").removeprefix(",") if text.startswith("{x:1") else text


def _without_fence(text: str) -> str:
    return text.removeprefix("```json\n").removesuffix("\n```")


def _half(text: str) -> str:
    half = text[: len(text) // 2]
    return half if half * 2 == text else text


# Of the kinds that have such a text: what gives the healthy one back; any other text as it is.
UNDONE: Final[Mapping[str, Callable[[str], str]]] = {
    "json-single-quotes": partial(_without_member, value="'x'"),
    "json-bare-name": _without_bare_name,
    "json-python-words": partial(_without_member, value="True"),
    "json-comment": lambda text: text.replace("/* x */", "", 1),
    "json-fence": _without_fence,
    "json-line-end": partial(_without_member, value='"x\nx"'),
    "json-escape": partial(_without_member, value='"\\x41"'),
    "json-leading-zero": partial(_without_member, value="01"),
    "prose-before": lambda text: text.removeprefix("x "),
    "second-object": _half,
    "first-fragment-lost": lambda text: "{" + text,
    "fragment-doubled": lambda text: text[1:],
    "fragments-swapped": lambda text: text[-1:] + text[1:-1] + text[:1],
    "fragment-moved": lambda text: text[-1:] + text[:-1],
}
