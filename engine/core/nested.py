"""What stands inside a value of a row or an entry, however deep: maps, lists, texts and numbers."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from fractions import Fraction
from typing import Any

_SEVERAL = (list, tuple)
_HOLDERS = (dict, list, tuple)
"""What something may stand in: `Mapping` takes three times as long to ask for, and `list | tuple` is made
anew each time.
"""


def inside(value: Any, but: Container[str] = ()) -> Iterator[tuple[str, Any]]:
    """A value and all that is in it, from outside in and in order, each with the key under which it stands: a
    member of a list under that of the list, the value itself under "".

    What stands below a key of `but` is passed over.
    """
    due = [("", value)]
    while due:
        key, part = due.pop()
        yield key, part
        if isinstance(part, dict):
            due += [(str(name), each) for name, each in reversed(part.items()) if name not in but]
        elif isinstance(part, _SEVERAL):
            due += [(key, each) for each in reversed(part)]


def maps_in(value: Any, but: Container[str] = ()) -> Iterator[Mapping[str, Any]]:
    """The maps in a value, itself among them, the outer before those in it."""
    due = [value]
    while due:
        part = due.pop()
        if isinstance(part, dict):
            yield part
            within = [each for name, each in part.items() if name not in but]
        elif isinstance(part, _SEVERAL):
            within = list(part)
        else:
            continue
        due += [each for each in reversed(within) if isinstance(each, _HOLDERS)]


def texts_in(value: Any, but: Container[str] = ()) -> Iterator[str]:
    """The texts in a value, itself among them; keys are none."""
    due = [value]
    while due:
        part = due.pop()
        if isinstance(part, str):
            yield part
        elif isinstance(part, dict):
            due += [each for name, each in reversed(part.items()) if name not in but]
        elif isinstance(part, _SEVERAL):
            due += reversed(part)


def with_each(value: Any, change: Callable[[Any], Any]) -> Any:
    """A value like this one, with everything in it changed that is no map and no list."""
    if isinstance(value, dict):
        return {str(key): with_each(each, change) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [with_each(each, change) for each in value]
    return change(value)


def with_floats(value: Any) -> Any:
    """A value like this one, with floats for its fractions, as other libraries take them."""
    return with_each(value, lambda each: float(each) if isinstance(each, Fraction) else each)
