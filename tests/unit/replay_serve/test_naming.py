"""Names of fixture files: short, of one case alone, and the same in any order."""

from pathlib import PurePath

import pytest
from hypothesis import given
from hypothesis import strategies as some

from replay.serve.naming import names, turn_of


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (["a/x.json", "b/y.json"], ["x", "y"]),
        (["a/x.json", "b/x.json", "b/y.json"], ["a.x", "b.x", "y"]),
        (["p/a/f.json", "q/a/f.json"], ["p.a.f", "q.a.f"]),
        (["/a/x.json", "x.json"], ["a.x", "x"]),
        # A joined name is that of another file.
        (["a.b.json", "a/b.json", "c/b.json"], ["a.b", "a.b~2", "c.b"]),
        (["p/a.b.json", "p/a/b.json", "p/c/b.json"], ["a.b", "p.a.b", "c.b"]),
        (["a.b/c.json", "a/b.c.json", "c.json", "b.c.json"], ["a.b.c~2", "a.b.c", "c", "b.c"]),
        # No folder that tells apart.
        (["../x.json", "x.json", "x~2.json"], ["x~3", "x", "x~2"]),
        # Dots alone are no name of a path segment, and what is no folder or file of its own is none either.
        ([".json", "..json", ".json.json", "x", "x.json"], [".json", "..json", ".json~2", "x", "x~2"]),
    ],
)
def test_fixtures_of_one_name_are_told_apart_by_their_folders(paths: list[str], expected: list[str]) -> None:
    assert names([PurePath(path) for path in paths]) == expected


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (["x.json", "x-2.json", "x-10.json"], ["x", "x-2", "x-10"]),
        (
            ["one/checkout.json", "one/checkout-2.json", "two/checkout.json"],
            ["one.checkout", "one.checkout-2", "two.checkout"],
        ),
        (["one/checkout.json", "two/checkout-2.json"], ["one.checkout", "two.checkout-2"]),
        (["checkout.json", "two/checkout-2.json"], ["checkout", "two.checkout-2"]),
        # What only looks like a turn needs no folder in front.
        (["one/gpt-4.json", "two/gpt-5.json"], ["gpt-4", "gpt-5"]),
        (["one/x.json", "two/x-1.json"], ["x", "x-1"]),
    ],
)
def test_the_turns_of_a_case_have_one_name_and_those_of_another_folder_are_none_of_it(
    paths: list[str], expected: list[str]
) -> None:
    assert names([PurePath(path) for path in paths]) == expected


FILES = some.lists(
    some.builds(
        lambda folders, stem, number: PurePath("/".join((*folders, f"{stem}{number}.json"))),
        some.lists(some.sampled_from(["a", "b", "a.b", "..", "x"]), max_size=3),
        some.sampled_from(["x", "a", "a.x", "b.a.x", "x~2", ""]),
        some.sampled_from(["", "-1", "-2", "-3", "-2-3", "~2"]),
    ),
    unique=True,
    max_size=12,
)


@given(files=FILES, random=some.randoms(use_true_random=False))
def test_any_files_have_names_of_their_own_in_any_order(files: list[PurePath], random: object) -> None:
    found = names(files)
    assert len(set(found)) == len(files)
    by_name = dict(zip(found, files, strict=True))
    shuffled = list(files)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert dict(zip(names(shuffled), shuffled, strict=True)) == by_name
    for name, file in by_name.items():
        assert name.strip(".")
        turn = turn_of(name)
        first = by_name.get(turn[0]) if turn else None
        if first is not None and turn is not None:
            assert file == first.with_name(f"{first.name.removesuffix('.json')}-{turn[1]}.json")
        told = turn_of(file.name.removesuffix(".json"))
        before = file.with_name(f"{told[0]}.json") if told else None
        if before in files:
            assert first == before
