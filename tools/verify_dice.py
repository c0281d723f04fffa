"""Check the dice of a turn, with nothing but Python's standard library and docs/fairness.md, from which this
was written.

    python verify_dice.py turn-3.json published-3.json [salts-3.json [my-orders.txt my-nation]]

`turn-3.json` is what `wteaw dice reveal` gave; `published-3.json` (anchor and commitment) and `salts-3.json`
were published before the turn was resolved; `my-orders.txt` is the first file that you handed in for it.
Leaves with 0 if every die that can be checked is right.
"""

from __future__ import annotations

import json
import re
import sys
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Any

DRAWERS = 16384


class Wrong(Exception):
    """Something does not fit; says what."""


def keyed(key: bytes, tag: str, value: Any) -> bytes:
    """H of the page: BLAKE2b with key and tag over canonical JSON."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return blake2b(text.encode(), key=key, person=tag.encode(), digest_size=32).digest()


def plain(tag: str, value: Any) -> str:
    return keyed(b"wteaw", tag, value).hex()


def drawer_of(audience: str) -> int:
    return int.from_bytes(keyed(b"wteaw", "wteaw place", [audience])[:4], "little") % DRAWERS


def opened(commitment: dict[str, Any], opening: dict[str, Any]) -> bytes:
    """The dice key of an opening, once its path has led to the root."""
    names, audience, key = list(commitment["audiences"]), opening["audience"], opening["key"]
    drawers = commitment.get("drawers", 0)
    if names != sorted(set(names)) or any("+" in n for n in names) or drawers not in (0, DRAWERS):
        raise Wrong("the commitment's list of audiences is not in order")
    if "+" in audience:
        if not drawers:
            raise Wrong(f"{audience} has no drawer in this commitment")
        index, leaf = len(names) + drawer_of(audience), f"+{drawer_of(audience)}"
    elif audience in names:
        index, leaf = names.index(audience), audience
    else:
        raise Wrong(f"{audience} is not in the commitment")
    value, path, width = plain("wteaw leaf", [leaf, key]), list(opening["path"]), len(names) + drawers
    while width > 1:
        if index ^ 1 < width:
            if not path:
                raise Wrong(f"the path of {audience} is too short")
            other = path.pop(0)
            value = plain("wteaw node", [other, value] if index % 2 else [value, other])
        index, width = index // 2, (width + 1) // 2
    parts = [
        commitment["game"],
        commitment["turn"],
        commitment["attempt"],
        names,
        *([drawers] if drawers else []),
    ]
    players = [commitment["seats"], commitment["record"]] if commitment.get("seats") else []
    if path or plain("wteaw root", [*parts, *players, value]) != commitment["root"]:
        raise Wrong(f"the key of {audience} is not the one that was committed to")
    return keyed(bytes.fromhex(key), "wteaw group", [audience]) if "+" in audience else bytes.fromhex(key)


class Stream:
    """The bytes of one stream, block by block, and the faces that they make."""

    def __init__(self, key: bytes) -> None:
        self.key, self.block, self.bytes = key, 0, b""

    def take(self, n: int) -> bytes:
        while len(self.bytes) < n:
            self.bytes += blake2b(
                self.block.to_bytes(8, "little"), key=self.key, person=b"wteaw block"
            ).digest()
            self.block += 1
        out, self.bytes = self.bytes[:n], self.bytes[n:]
        return out

    def face(self, faces: int, low: int) -> int:
        size = 1 if faces <= 255 else 4
        top = 256**size
        while (word := int.from_bytes(self.take(size), "little")) >= top - top % faces:
            pass
        return word % faces + low


def die_of(text: str) -> tuple[int, int, int, int]:
    """How many dice, with how many faces, from which lowest face, and what is added."""
    if found := re.fullmatch(r"(-?\d+)\.\.(-?\d+)", text):
        low, high = int(found[1]), int(found[2])
        return 1, high - low + 1, low, 0
    found = re.fullmatch(r"(\d*)d(\d+)([+-]\d+)?", text)
    if not found:
        raise Wrong(f"no die: {text}")
    return int(found[1] or 1), int(found[2]), 1, int(found[3] or 0)


def sums(part: dict[str, Any]) -> str:
    """The check sums of the fields of a part, one after the other by name."""
    return "".join(plain("wteaw field", [name, part[name]])[:8] for name in sorted(part))


def unchanged(data: dict[str, Any], published: dict[str, Any], salts: dict[str, str]) -> None:
    """Every field of the file and of what was published is what its sum says. Raises Wrong with its name."""
    said = data["sums"]
    public = {"anchor": published["anchor"], "commitment": published["commitment"], "salts": salts}
    file = {k: v for k, v in data.items() if k not in ("openings", "dice", "sums")}
    parts = [("what was published", said["published"], public), ("the file", said["file"], file)]
    for what, name in (("openings", "key"), ("dice", "throw")):
        if len(said[what]) != len(data[what]):
            raise Wrong(f"there are {len(data[what])} {what} where there were {len(said[what])}")
        parts += [(f"{name} {n}", said[what][n - 1], part) for n, part in enumerate(data[what], 1)]
    for where, was, part in parts:
        now = sums(part)
        if was != now:
            names = [
                k for n, k in enumerate(sorted(part)) if was[8 * n : 8 * n + 8] != now[8 * n : 8 * n + 8]
            ]
            raise Wrong(f"{names[0] if names else 'a field'} of {where} is not what it was")


def verify(
    data: dict[str, Any], published: dict[str, Any], salts: dict[str, str], mine: tuple[str, bytes] | None
) -> str:
    """What came of it, in words. Raises Wrong."""
    commitment = published["commitment"]
    if (data["game"], data["turn"]) != (commitment["game"], commitment["turn"]):
        raise Wrong("the file is of another turn than the commitment")
    if strange := sorted(set(salts) - set(commitment.get("seats", []))):
        raise Wrong(
            f"the list of salts has {strange[0]}, which the commitment does not name as a player's seat"
        )
    keys = {o["audience"]: opened(commitment, o) for o in data["openings"]}
    if mine is not None:
        nation, text = mine
        if keyed(keys[nation], "wteaw salt", sha256(text).hexdigest()).hex() != salts.get(nation):
            raise Wrong(
                f"this file is not the one that went into the dice for {nation}: the first that came in the "
                "turn"
            )
    mix = plain("wteaw mix", salts) if salts else ""
    streams: dict[tuple[Any, ...], Stream] = {}
    shown = checked = 0
    for number, record in enumerate(data["dice"], 1):
        name = tuple(record[k] for k in ("step", "rule", "subject", "audience", "use"))
        shown += sum(len(d["faces"]) for d in record["drawn"])
        if record["audience"] not in keys:
            continue
        if name not in streams:
            if record["use"] and (*name[:4], record["use"] - 1) not in streams:
                raise Wrong(f"throw {number}: an earlier use of this name is missing")
            dice_key = keyed(keys[record["audience"]], "wteaw dice", [commitment["turn"], mix])
            streams[name] = Stream(keyed(dice_key, "wteaw stream", [*name[:3], record["use"]]))
        for drawn in record["drawn"]:
            if drawn.get("typed"):
                continue
            n, faces, low, plus = die_of(drawn["die"])
            expected = [streams[name].face(faces, low) for _ in range(n)]
            if drawn["faces"] != expected or drawn["total"] != sum(expected) + plus:
                raise Wrong(
                    f"throw {number} ({record['rule']}, {record['subject']}): {drawn['faces']}, not "
                    f"{expected}"
                )
            checked += n
    unchanged(data, published, salts)
    return f"{checked} of {shown} dice come out the same."


def main(arguments: list[str]) -> int:
    if len(arguments) not in (2, 3, 5):
        print(__doc__)
        return 2
    files = [json.loads(Path(a).read_text(encoding="utf-8")) for a in arguments[:3]]
    mine = (arguments[4], Path(arguments[3]).read_bytes()) if len(arguments) == 5 else None
    try:
        print(verify(files[0], files[1], files[2].get("salts", {}) if len(files) > 2 else {}, mine))
    except Wrong as wrong:
        print(f"WRONG: {wrong}")
        return 1
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as wrong:
        print(f"WRONG: a file is not what it should be: {type(wrong).__name__} {wrong}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
