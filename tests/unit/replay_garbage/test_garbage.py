import gc

import pytest

from replay import garbage


def test_inside_the_block_collections_are_rare_and_afterwards_as_before() -> None:
    before, frozen = gc.get_threshold(), gc.get_freeze_count()
    with garbage.relaxed():
        assert all(rare > usual for rare, usual in zip(gc.get_threshold(), before, strict=True))
        assert gc.get_freeze_count() > frozen
        assert gc.isenabled()
    assert (gc.get_threshold(), gc.get_freeze_count()) == (before, 0)


def test_an_error_in_the_block_leaves_the_collector_as_it_was() -> None:
    before = gc.get_threshold()
    with pytest.raises(ZeroDivisionError), garbage.relaxed():
        _ = 1 / 0
    assert gc.get_threshold() == before
