"""Work shared out over processes: the same answers in the same order, whoever does it, and faults come up where they belong."""

from __future__ import annotations

import os

import pytest

from wteaw.core.parallel import shared_out


@pytest.mark.parametrize("workers", [1, 2, 3, 20])
def test_answers_come_in_the_order_of_the_items(workers: int) -> None:
    assert shared_out(lambda n: n * n, list(range(15)), workers) == [n * n for n in range(15)]
    assert shared_out(lambda n: n, [], workers) == []


def test_what_a_helper_could_not_do_is_done_by_the_one_that_asked() -> None:
    asking = os.getpid()

    def work(n: int) -> int:
        if os.getpid() != asking:
            raise RuntimeError("only at home")
        return n

    assert shared_out(work, list(range(9)), 3) == list(range(9))


def test_a_helper_that_dies_loses_nothing() -> None:
    asking = os.getpid()

    def work(n: int) -> int:
        if os.getpid() != asking:
            os._exit(9)
        return n

    assert shared_out(work, list(range(9)), 2) == list(range(9))


def test_a_fault_comes_up() -> None:
    def work(n: int) -> int:
        raise ValueError(f"item {n}")

    with pytest.raises(ValueError, match="item"):
        shared_out(work, [1, 2, 3], 2)
