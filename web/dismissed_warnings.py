"""Warnings about orders that their player has read and silenced one by one: they mean it.

A warning is silenced for the line as it is written: when the line changes, it is shown again.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256

from wteaw.orders.readback import ReadBack


def mark(written: str, note: str) -> str:
    """By what a silenced warning is known: the line as it is written ("" where it is about no single line),
    and what it says.
    """
    return sha256(f"{written}\n{note}".encode()).hexdigest()[:16]


def silenced(back: ReadBack, meant: frozenset[str]) -> Iterator[str]:
    """The warnings of a read-back that its player has silenced, each with its line."""
    for group in back.groups:
        for said in group.orders:
            yield from (
                f"line {said.line}: {note}" for note in said.notes if mark(said.written, note) in meant
            )
    yield from (note for note in back.again if mark("", note) in meant)


def told(back: ReadBack, meant: frozenset[str]) -> str:
    """What a receipt says of them; empty where there are none."""
    found = list(silenced(back, meant))
    return "\nYou were warned, and meant it:\n" + "".join(f"  {one}\n" for one in found) if found else ""
