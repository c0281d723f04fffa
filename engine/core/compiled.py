"""Marks for the optional compiled build, in which some modules are machine code; without effect elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

C = TypeVar("C", bound=type)
P = ParamSpec("P")
S = TypeVar("S")
T = TypeVar("T")


def ordinary(cls: C) -> C:
    """A class that stays an ordinary one where its module is compiled, and so has what only those have:
    `cached_property`, a base or subclasses that are not compiled.
    """
    return cls


class kept(Generic[T]):
    """`cached_property` for classes that may be compiled, whose instances then have no `__dict__`: what is
    made is kept in their `_kept`, by the name of what makes it, and where they have one there, too, which is
    read without a call.
    """

    def __init__(self, make: Callable[[Any], T]) -> None:
        self.make = make
        self.name = _name_of(make)
        self.__doc__ = make.__doc__

    def __get__(self, thing: Any, owner: Any = None) -> T:
        in_thing = thing._kept
        try:
            return in_thing[self.name]  # type: ignore[no-any-return]
        except KeyError:
            found = in_thing[self.name] = self.make(thing)
            if hasattr(thing, "__dict__"):
                thing.__dict__[self.name] = found
            return found


def _name_of(make: Callable[..., Any]) -> str:
    """The name of a method. A compiled one that has functions within it is an object without a name, of a
    class that has one.
    """
    return str(getattr(make, "__name__", type(make).__name__))


def kept_by_arguments(make: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
    """`functools.cache` for a method: its answers are kept in the `_kept` of its object."""
    name = _name_of(make)

    @wraps(make)
    def answer(thing: S, /, *args: P.args, **named: P.kwargs) -> T:
        in_thing: dict[str, dict[Any, T]] = thing._kept  # type: ignore[attr-defined]
        answers = in_thing.get(name)
        if answers is None:
            answers = in_thing[name] = {}
        key = (*args, *named.items()) if named else args
        if key not in answers:
            answers[key] = make(thing, *args, **named)
        return answers[key]

    return answer
