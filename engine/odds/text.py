"""Odds in words and bars, for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ..battle.groups import SIDES
from .result import Odds

WIDTH = 40
UNDECIDED = "undecided"


class UnitNames(Protocol):
    """How nations and units are printed."""

    def nation(self, id_: str) -> str:
        """A nation's name."""
        ...

    def unit(self, kind: str, n: float) -> str:
        """The name of so many units of a kind."""
        ...


def render(odds: Odds, title: str, words: UnitNames) -> str:
    """The chances, the mean losses and survivors of every nation's kinds, and how the losses are spread."""
    lines = [title]
    for side in SIDES:
        lines.append(f"  {side}: {forces_of(odds, side, words) or 'nobody'}")
    lines += [f"  {how(odds)}", ""]
    for name, chance in (
        ("attacker wins", odds.win),
        ("defender wins", odds.loss),
        ("both destroyed", odds.draw),
        (UNDECIDED, odds.open),
    ):
        if chance > 0 or name != UNDECIDED:
            error = f" ± {100 * odds.error(chance):.2f}" if odds.trials else ""
            lines.append(f"  {name:<15} {percent(chance)}{error}  {bar(chance)}".rstrip())
    if odds.open > 0:
        lines.append(
            f"  {'takes the field':<15} {percent(odds.field)}  (the attacker, also where the defender goes)"
        )
    for side in SIDES:
        lines += ["", *_side(odds, side, words)]
        lines += histogram(odds.losses.get(side, ()))
    if odds.after:
        lines += ["", "Afterwards, on average (from samples of the turn)"]
        for owner, kinds in odds.after.items():
            for kind, n in kinds.items():
                lines.append(
                    f"  {words.nation(owner)}: {'gains' if n > 0 else 'loses'} {abs(n):.2f} "
                    f"{words.unit(kind, 2)}"
                )
    return "\n".join(lines)


def forces_of(odds: Odds, side: str, words: UnitNames) -> str:
    """What a side has at the start, in words."""
    parts = []
    for owner, kinds in sorted(odds.began.get(side, {}).items()):
        units = ", ".join(f"{n:.0f} {words.unit(kind, n)}" for kind, n in sorted(kinds.items()))
        parts.append(f"{words.nation(owner)} ({units})")
    return " and ".join(parts)


def how(odds: Odds) -> str:
    """Whether the figures are exact, or sampled and how far off they may be; and how long the battle
    lasts.
    """
    rounds = f"; {odds.rounds:.1f} rounds on average" if odds.rounds else ""
    if not odds.trials:
        return f"exact: every outcome with its probability{rounds}"
    worst = max(odds.error(p) for p in (odds.win, odds.draw, odds.loss, odds.open))
    return f"{odds.trials:,} battles sampled; standard error at most {100 * worst:.2f} %{rounds}"


def _side(odds: Odds, side: str, words: UnitNames) -> list[str]:
    low, high = odds.quantile(side, 0.05), odds.quantile(side, 0.95)
    within = f"{low}" if low == high else f"{low} to {high}"
    out = [f"{side.capitalize()}: loses {odds.mean(side):.2f} on average, {within} in nine cases of ten"]
    for owner in sorted(odds.lost.get(side, {})):
        for kind, gone in sorted(odds.lost[side][owner].items()):
            n = odds.began[side][owner][kind] if odds.began else gone + odds.left[side][owner][kind]
            out.append(
                f"  {words.nation(owner)}: loses {gone:.2f} of {n:.0f} {words.unit(kind, n)}, "
                f"{n - gone:.2f} left"
            )
    return out


def histogram(chances: Sequence[float], most: int = 24) -> list[str]:
    """How likely each number of losses is; long ones in steps."""
    if not chances or len(chances) == 1:
        return []
    step = -(-len(chances) // most)
    bars = [sum(chances[k : k + step]) for k in range(0, len(chances), step)]
    top = max(bars)
    out = ["  losses"]
    for place, chance in enumerate(bars):
        if chance < 0.0005:
            continue
        low, high = place * step, min(len(chances) - 1, place * step + step - 1)
        label = str(low) if low == high else f"{low}-{high}"
        out.append(f"  {label:>7} {percent(chance)}  {bar(chance / top)}".rstrip())
    return out


def percent(chance: float) -> str:
    return f"{100 * chance:6.2f} %"


def bar(share: float) -> str:
    """A bar as long as the share of the whole width, in eighths of a letter."""
    eighths = round(share * WIDTH * 8)
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()
