"""Odds in words and bars, for a terminal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from .result import Kinds, Odds

WIDTH = 40


def render(odds: Odds, title: str, unit_name: Callable[[str, float], str], nation_name: Callable[[str], str]) -> str:
    """The chances, the mean losses and survivors, and how the losses are spread."""
    how = f"{odds.trials:,} trials" if odds.trials else "exact"
    lines = [f"{title} ({how})", ""]
    for name, chance in (
        ("attacker wins", odds.win),
        ("defender wins", odds.loss),
        ("both destroyed", odds.draw),
        ("undecided", odds.open),
    ):
        if chance > 0 or name != "undecided":
            lines.append(f"  {name:<15} {percent(chance)}  {bar(chance)}")
    for side in ("attacker", "defender"):
        lines += ["", *_side(side, odds.lost.get(side, {}), odds.left.get(side, {}), unit_name, nation_name)]
        lines += histogram(odds.losses.get(side, ()))
    return "\n".join(lines)


def _side(
    side: str, lost: Mapping[str, Mapping[str, float]], left: Kinds | Mapping[str, Mapping[str, float]],
    unit_name: Callable[[str, float], str], nation_name: Callable[[str], str],
) -> list[str]:  # fmt: skip
    out = [f"{side.capitalize()}s: expected losses and survivors"]
    for owner in sorted(lost):
        for kind in sorted(lost[owner]):
            gone, stays = lost[owner][kind], left.get(owner, {}).get(kind, 0.0)
            units = f"{gone + stays:.0f} {unit_name(kind, gone + stays)}"
            out.append(f"  {nation_name(owner)}: loses {gone:.2f} of {units}, {stays:.2f} left")
    return out


def histogram(chances: Sequence[float], most: int = 24) -> list[str]:
    """How likely each number of losses is; long ones in steps."""
    if not chances:
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
        out.append(f"  {label:>7} {percent(chance)}  {bar(chance / top)}")
    return out


def percent(chance: float) -> str:
    return f"{100 * chance:6.2f} %"


def bar(share: float) -> str:
    return "█" * round(share * WIDTH)
