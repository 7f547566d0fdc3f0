import random
import re
import time

import pytest

from replay.validator.schema.patterns import (
    MAX_INSTRUCTIONS,
    Characters,
    Choice,
    Pattern,
    PatternError,
    Repeat,
    Sequence,
    compile_pattern,
    parse,
)


def found(source: str, text: str) -> bool:
    return compile_pattern(source).found_in(text)


@pytest.mark.parametrize(
    ("source", "matching", "other"),
    [
        ("", ["", "a"], []),
        ("^abc$", ["abc"], ["abc\n", "xabc", "ab"]),
        ("b+", ["abc"], ["ac"]),
        ("^[^]$", ["a", "\n", "\U0001f600"], ["", "ab"]),
        ("[]", [], ["", "a"]),
        ("^.$", ["a", "\x85", "\U0001f600"], ["\n", "\r", "\u2028", "\u2029", ""]),
        (r"^\d$", ["0"], ["\u0661", "a"]),
        (r"^\w$", ["_", "Z"], ["é", "-"]),
        (r"^\W$", ["é"], ["a"]),
        (r"^\s$", [" ", "\ufeff", "\u00a0", "\u2029", "\u3000"], ["\x85", "\x1c", "a"]),
        (r"^\S$", ["\x85"], ["\u3000"]),
        (r"^[\w-]$", ["-", "a"], ["+"]),
        (r"^[a-c\d]$", ["b", "5"], ["d"]),
        (r"^[\-\]\b]$", ["-", "]", "\b"], ["\\"]),
        (r"^\t\n\v\f\r\0\cA\x41\u0042\u{43}\/$", ["\t\n\v\f\r\0\x01ABC/"], []),
        (r"^\ud83d\ude00$", ["\U0001f600"], []),
        (r"^\p{Lu}\P{Lu}\p{Letter}\p{gc=Nd}\p{ASCII}$", ["Aaé\u0661z", "Éaaaa".replace("aaaa", "aa1a")], ["aaaaa"]),
        (r"\bcat\b", ["a cat.", "cat"], ["cats", "concat"]),
        (r"a\Bb", ["ab"], ["a b"]),
        ("^(?:a|(?<name>b)){2,3}?$", ["ab", "bbb"], ["a", "aaaa"]),
        ("^(a{0}b|c{2,})$", ["b", "cc", "ccc"], ["ab", "c"]),
        ("^a|b$", ["ax", "xb"], ["xa"]),
        ("(^|,)x", ["x", "a,x"], ["ax"]),
        ("a$b", [], ["ab", "a"]),
        ("(a|)*b", ["b", "aab"], ["a"]),
        (r"^(a*)*$", ["", "aaa"], ["b"]),
    ],
    ids=repr,
)
def test_the_subset_has_the_meaning_of_ecmascript(source: str, matching: list[str], other: list[str]) -> None:
    assert [text for text in matching if not found(source, text)] == []
    assert [text for text in other if found(source, text)] == []


@pytest.mark.parametrize(
    "source",
    [
        *["(", "a)", "[a", "a{2", "*", "a**", "a{2,1}", "]", "}", "\\", "^*", "x{,5}", "[b-a]", r"[\w-a]"],
        *["(?=a)", "(?!a)", "(?<=a)", "(?<!a)", r"(a)\1", r"(?<n>a)\k<n>", "(?i)a", "(?i:a)", "(?P<n>a)", "(?#x)"],
        *[r"\a", r"\-", r"\_", r"\p{Foo}", r"\p{Script=Latin}", r"\pL", r"\u{110000}", r"\x1", r"\c1", r"\01"],
        *["(?<1>a)", "(?<a>b)(?<a>c)", "(" * 51 + ")" * 51, "(" * 100_000, "a{99999}", f"a{{{MAX_INSTRUCTIONS + 1}}}"],
        "((a{100}){100}){100}",
    ],
    ids=lambda source: source[:12],
)
def test_what_is_outside_the_subset_is_refused(source: str) -> None:
    with pytest.raises(PatternError) as caught:
        compile_pattern(source)
    assert caught.value.why in str(caught.value)


def test_repeating_nothing_costs_nothing() -> None:
    assert found("^(((?:){9999}){9999}){9999}$", "")


def test_the_tree_is_there_to_be_read() -> None:
    a = Characters(ranges=((97, 97),))
    assert parse("a(?:a|aa*)?") == Sequence((a, Repeat(Choice((a, Sequence((a, Repeat(a, 0, None))))), 0, 1)))
    assert Pattern("a").tree == a


CATASTROPHES = [
    ("^(a+)+$", "a", "!"),
    ("(a|a)*$", "a", "!"),
    ("^(a|aa)+$", "a", "b"),
    ("(x+x+)+y", "x", ""),
    ("(.*)*x", "y", ""),
    ("^(([a-z])+.)+[A-Z]([a-z])+$", "a", ""),
    (r"^([a-zA-Z0-9])(([\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$",
     "a", "!"),
    (r"\s+$", " ", "x"),
    ("(?:a?){30}a{30}$", "a", "b"),
    ("^(.{0,90}){10}x$", "a", ""),
    (r"(?:(?:\w*\d*)*\s?)*$", "a1", "!"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "unit", "end"), CATASTROPHES)
def test_catastrophic_expressions_take_time_linear_in_the_text(source: str, unit: str, end: str) -> None:
    pattern = compile_pattern(source)
    times = []
    for size in (500_000, 1_000_000):
        text = unit * (size // len(unit)) + end
        start = time.perf_counter()
        pattern.found_in(text)
        times.append(time.perf_counter() - start)
    assert times[1] < 3  # a second on a machine with nothing else to do; three here
    assert times[1] < max(4 * times[0], 0.5)


def test_an_expression_with_very_many_states_stays_bounded_in_memory_and_time() -> None:
    random.seed(5)
    text = "".join(random.choice("xa") for _ in range(20_000))
    start = time.perf_counter()
    assert not found("x.{1,400}y", text)
    assert not found("(?:x|a)*x(?:x|a){18}z", text)
    assert time.perf_counter() - start < 10


def test_it_agrees_with_another_matcher_where_the_two_mean_the_same() -> None:
    random.seed(1)
    atoms = ["a", "b", ".", "[ab]", "[^a]", r"\w", r"\d", r"\b", "^", "$", "(?:a|b)", "(a|)", "c", r"\s", "-"]
    for _ in range(3_000):
        source = ""
        for _ in range(random.randint(1, 4)):
            if random.random() < 0.5:
                source += random.choice(atoms)
            else:
                quantifier = random.choice(["", "*", "+", "?", "{2}", "{1,3}", "{0,2}?"])
                source += f"(?:{random.choice(atoms)}|{random.choice(atoms)}){quantifier}"
        other = re.compile(source.replace("$", r"\Z").replace(".", r"[^\n\r\u2028\u2029]"), re.ASCII)
        pattern = Pattern(source)
        for _ in range(5):
            text = "".join(random.choice("ab1 -c\n") for _ in range(random.randint(0, 7)))
            assert pattern.found_in(text) is bool(other.search(text)), (source, text)
