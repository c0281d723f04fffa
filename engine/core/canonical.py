"""One canonical JSON form for everything that is stored, hashed or compared.

In go plain values (dict, list, tuple, str, int, bool, None, Fraction); out come bytes that depend on nothing
but the value: not on insertion order, hash seed, platform or locale. Equal bytes therefore mean equal values,
and a SHA-256 over them names a state, a ruleset or a journal entry.

The form: UTF-8, no spaces, no escapes beyond those JSON demands, keys sorted by code point (which is also the
order of their UTF-8 bytes), whole numbers exact at any size, tuples written as lists. A fraction is
``{"/":[num,den]}`` in lowest terms with ``den`` > 1; a fraction that is whole is written as the whole number,
because equal numbers must give equal bytes however they were computed. Floats are refused: binary fractions
round differently from the rules.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NoReturn

import orjson

FRACTION_KEY = "/"
"""The one key that data may not use: an object with this key is a fraction."""


def dumps(value: object) -> bytes:
    """The canonical bytes of a value.

    >>> dumps({"b": (1, Fraction(3, 4)), "a": None})
    b'{"a":null,"b":[1,{"/":[3,4]}]}'

    Raises TypeError for a float, a key that is not text, or a kind of object that is not data; ValueError for
    the reserved key, for text that is not valid Unicode, and for a value that contains itself. Both name the
    path.
    """
    try:
        if not _is_plain(value):
            _check(value)
        try:
            return orjson.dumps(value, _default, orjson.OPT_SORT_KEYS)
        except (
            orjson.JSONEncodeError
        ):  # whole numbers of more than 64 bits, very deep values, and what is none of ours
            return _ENCODER.encode(value).encode("utf-8")
    except _Fault as fault:
        raise fault.kind(fault.text()) from None
    except RecursionError:
        raise ValueError("the value is nested too deeply or contains itself") from None


def loads(data: bytes | str) -> Any:
    """The value of canonical bytes: dict, list, str, int, bool, None and Fraction.

    ``loads(dumps(v)) == v`` for every value without tuples (they come back as lists). The text need not be
    canonical in its spaces and order of keys, but must hold no float and no malformed fraction: ValueError.

    >>> loads(b'{"share":{"/":[3,4]}}')
    {'share': Fraction(3, 4)}
    """
    text = data if isinstance(data, str) else data.decode("utf-8")
    # A hook per object costs more than the parsing itself: use it only where a fraction can be.
    decoder = _FRACTIONS if '"/"' in text else _PLAIN
    try:
        return decoder.decode(text)
    except RecursionError:
        raise ValueError("the text is nested too deeply") from None


def digest(value: object) -> str:
    """SHA-256 of the canonical bytes, as 64 hex digits. Raises what ``dumps`` raises."""
    return hashlib.sha256(dumps(value)).hexdigest()


def keyed(key: bytes | str, tag: str, value: object) -> bytes:
    """32 bytes that only the holder of a key can make of a value, and that tell nothing of the key.

    BLAKE2b over the canonical bytes, with the key (1 to 64 bytes, or their hex digits) and with the tag, at
    most 16 bytes, as its personalisation: the same key and value give unrelated results under different tags.
    Raises what ``dumps`` raises; ValueError for a key or tag of another length or a key that is not hex.
    """
    key = bytes.fromhex(key) if isinstance(key, str) else key
    if not 1 <= len(key) <= 64:
        raise ValueError(f"a key has 1 to 64 bytes, not {len(key)}")
    return hashlib.blake2b(dumps(value), key=key, person=tag.encode(), digest_size=32).digest()


class _Fault(Exception):
    """What is wrong with a value and, gathered while the stack unwinds, where."""

    def __init__(self, kind: type[Exception], message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.steps: list[object] = []

    def text(self) -> str:
        where = "".join(f"[{step!r}]" for step in reversed(self.steps))
        return f"{self.message} (at value{where})" if where else self.message


_SCALARS: frozenset[type] = frozenset({str, int, bool, type(None), Fraction})
_TEXT: frozenset[type] = frozenset({str})


def _is_plain(value: object) -> bool:
    """Whether a value is made of nothing but the very types that ``_check`` lets through: nearly all are, and
    that is soon seen.

    False says nothing yet: ``_check`` then tells a mapping of another kind from a fault, and where the fault
    is.
    """
    kind = type(value)
    if kind is dict or issubclass(kind, dict):
        if not _TEXT.issuperset(map(type, value)) or FRACTION_KEY in value:  # type: ignore[operator,call-overload]
            return False
        items = value.values()  # type: ignore[attr-defined]
    elif kind is list or kind is tuple:
        items = value
    else:
        return kind in _SCALARS
    for item in items:  # noqa: SIM110 - a generator would take twice as long
        if type(item) not in _SCALARS and not _is_plain(item):
            return False
    return True


def _check(value: object) -> None:
    """Raise _Fault unless the encoder can write the value without changing it.

    The C encoder would write floats, and would turn keys that are numbers into text, without a word.
    """
    if isinstance(value, (list, tuple)):
        if not _SCALARS.issuperset(map(type, value)):
            for index, item in enumerate(value):
                _check_item(index, item)
    elif isinstance(value, Mapping):
        if not _TEXT.issuperset(map(type, value)):
            for key in value:
                if not isinstance(key, str):
                    raise _Fault(TypeError, f"a key must be text, not {type(key).__name__} {key!r}")
        if FRACTION_KEY in value:
            raise _Fault(ValueError, f"the key {FRACTION_KEY!r} is reserved for fractions")
        if not _SCALARS.issuperset(map(type, value.values())):
            for key, item in value.items():
                _check_item(key, item)
    elif isinstance(value, float):
        raise _Fault(TypeError, f"a float has no exact form: {value!r}; use a whole number or a Fraction")
    elif value is not None and not isinstance(value, (str, int, Fraction)):
        raise _Fault(TypeError, f"{type(value).__name__} is not plain data")


def _check_item(step: object, item: object) -> None:
    if type(item) in _SCALARS:
        return
    try:
        _check(item)
    except _Fault as fault:
        fault.steps.append(step)
        raise


def _default(value: object) -> object:
    """What the encoder asks for values that are not JSON's own; ``_check`` has let only these two through."""
    if isinstance(value, Fraction):
        if value.denominator == 1:
            return value.numerator
        return {FRACTION_KEY: [value.numerator, value.denominator]}
    assert isinstance(value, Mapping)
    return dict(value)


def _fraction(found: dict[str, Any]) -> Any:
    if FRACTION_KEY not in found:
        return found
    match found:
        case {"/": [int(num), int(den)]} if len(found) == 1 and den > 1:
            fraction = Fraction(num, den)
            if fraction.denominator == den and not isinstance(num, bool):
                return fraction
    raise ValueError(f"not a fraction in lowest terms: {found!r}")


def _no_float(text: str) -> NoReturn:
    raise ValueError(f"a float has no exact form: {text}")


_ENCODER = json.JSONEncoder(
    ensure_ascii=False,
    allow_nan=False,
    sort_keys=True,
    separators=(",", ":"),
    default=_default,
    check_circular=False,
)
_PLAIN = json.JSONDecoder(parse_float=_no_float, parse_constant=_no_float)
_FRACTIONS = json.JSONDecoder(parse_float=_no_float, parse_constant=_no_float, object_hook=_fraction)
