"""The grammar of placeholders: what a schema gives by itself."""

import pytest

from redaction.placeholders import SITE_LIMIT, format_samples, numbered_format
from replay.validator.schema import FORMATS


@pytest.mark.parametrize("name", FORMATS)
def test_each_format_has_placeholders_that_are_of_it(name: str) -> None:
    samples = [sample for size in (0, 1, 9, 40) for sample in format_samples(name, size)]
    assert samples
    assert all(map(FORMATS[name], samples))


@pytest.mark.parametrize("name", FORMATS)
def test_each_format_has_a_placeholder_for_every_number_of_a_site(name: str) -> None:
    found = {text for number in range(SITE_LIMIT) for text in numbered_format(name, number, 0)}
    assert len(found) == SITE_LIMIT
    assert all(map(FORMATS[name], found))


def test_a_format_outside_the_subset_has_none() -> None:
    assert [*format_samples("regex", 0), *numbered_format("idn-hostname", 1, 0)] == []
