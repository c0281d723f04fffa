"""What an expression may give, in the words of the vocabulary: what fits where, and how it is said."""

from __future__ import annotations

from .vocabulary import KINDS

NUMERIC = frozenset({"number", "any"})
WANTED = {
    "set": "a set or a thing",
    "thing": "a thing or its id",
    "term": "the name of a definition, a stat or a field",
    "who": "a nation or a side",
    "kind-or-tag": "a kind or a tag of units",
    "goods": "a kind, an item or a technology",
    "fact": "the name of a trigger",
    "order": "the name of an order or action",
    "link-kind": "a kind of links",
    "way": "a kind of links or a way of moving",
}


def fits(kind: str, wanted: str) -> bool:
    if wanted == "any" or kind == "any":
        return True
    if kind == "nothing":
        return wanted not in ("number", "set")
    if wanted == "number":
        return kind in NUMERIC
    if wanted == "truth":
        return kind in {"truth", "number", "id"} or kind in KINDS
    if wanted == "thing":
        return kind not in ("number", "truth")
    if wanted == "set":
        return kind.startswith("set") or kind in {"list", "text", "id"} or kind in KINDS
    return kind == wanted


def takes(want: str, kind: str) -> bool:
    """Whether what an argument gives can be what is wanted there; `any`, an id and a text may turn out to be
    it.
    """
    if want in ("any", "") or kind in ("any", "id"):
        return True
    if kind == "nothing":
        return want not in ("set", "term")
    if want.startswith("id:"):
        return kind == "text" or KINDS.get(kind, "") == want[3:]
    if want in ("truth", "set"):
        return fits(kind, want)
    if want == "thing":
        return kind in KINDS or kind == "text"
    if want == "who":
        return kind in (
            "nation",
            "side",
            "group",
            "place",
            "text",
            "list",
            "set",
            "set:nation",
            "set:side",
            "set:place",
        )
    if want in ("kind-or-tag", "goods"):
        return kind in ("text", "item", "tech", "unit")
    if want in ("text", "id"):
        return kind == "text" or kind in KINDS
    if want in WANTED:
        return kind == "text"
    return kind in (want, "text", "list")


def wanted(want: str) -> str:
    return f"an id of {want[3:]}" if want.startswith("id:") else WANTED.get(want) or say(want)


def say(kind: str) -> str:
    return {
        "truth": "true or false",
        "any": "anything",
        "id": "an id",
        "nothing": "nothing",
        "thing": "a thing or an id",
    }.get(kind, f"a {kind}".replace("set:", "set of "))


def apart(one: str, other: str) -> bool:
    """Whether two things can never be equal: a number, or true and false, and a word, a thing or several."""
    return any(
        a in ("number", "truth") and (b in ("text", "id", "list") or b in KINDS or b.startswith("set"))
        for a, b in ((one, other), (other, one))
    )
