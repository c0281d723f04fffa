"""Marks for the optional compiled build, in which some modules are machine code; without effect elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

C = TypeVar("C", bound=type)
T = TypeVar("T")


def ordinary(cls: C) -> C:
    """A class that stays an ordinary one where its module is compiled, and so has what only those have:
    `cached_property`, a base or subclasses that are not compiled.
    """
    return cls


class kept(Generic[T]):
    """`cached_property` for classes that are compiled, whose instances have no `__dict__`: what is made is
    kept in their `_kept`, by the name of what makes it.
    """

    def __init__(self, make: Callable[[Any], T]) -> None:
        self.make = make
        self.name = make.__name__
        self.__doc__ = make.__doc__

    def __get__(self, thing: Any, owner: Any = None) -> T:
        in_thing = thing._kept
        try:
            return in_thing[self.name]  # type: ignore[no-any-return]
        except KeyError:
            found = in_thing[self.name] = self.make(thing)
            return found
