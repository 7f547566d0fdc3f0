"""Which turns are wanted."""

import pytest

from proxy_addon.writing.sampling import Only, Sample
from replay.validator import Status


@pytest.mark.parametrize("status", list(Status))
def test_a_verdict_is_wanted_by_name_or_with_all_others(status: Status) -> None:
    assert Only.ALL.takes(status)
    assert Only.BLOCKED.takes(status) is (status is Status.BLOCKED)
    assert Only.PASS.takes(status) is (status is Status.PASS)


def test_a_sample_is_the_first_of_every_so_many() -> None:
    sample = Sample(3)
    assert [sample.take() for _ in range(7)] == [True, False, False, True, False, False, True]
    assert all(Sample(1).take() for _ in range(3))
