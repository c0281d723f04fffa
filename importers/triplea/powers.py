"""Players, alliances and relationships; the sequence of steps; what there is in the treasuries; who wins."""

from __future__ import annotations

from collections.abc import Iterable

from .draft import Row, RulesetDraft
from .game import Attachment, GameStep

__all__ = ["ends", "phase_of", "powers", "sequence"]

COLORS = (
    "#6b6b6b",
    "#4f7fc4",
    "#b9a27c",
    "#5fa56b",
    "#8a6a9e",
    "#d07f8f",
    "#d9b84a",
    "#7fb3a2",
    "#b0413e",
    "#3f7f8f",
    "#c98b5e",
    "#93a84f",
    "#a65f87",
    "#5c6fb0",
    "#c7a98f",
    "#7c9c9c",
)
LAST_TURN = 40


# ---- who plays


def powers(draft: RulesetDraft, colors: dict[str, str]) -> None:
    """Nations and sides, stances and the relations at the start, treasuries."""
    game = draft.game
    line = _turn_lines(draft)
    capitals: dict[str, str] = draft.features.get("capitals", {})
    names = [*game.players, *([game.nobody] if game.nobody not in game.players else [])]
    sides: dict[str, None] = {}
    for k, name in enumerate(names):
        row: Row = {"id": draft.nation(name), "name": name[:120], "side": None}
        mine = game.alliances.get(name, [])
        if mine and name in line:
            row["side"] = draft.id("sides", mine[0])
            sides[mine[0]] = None
        if name in line:
            row["turn_line"] = line[name]
            row["capital"] = draft.place(capitals[name]) if name in capitals else None
        else:
            row["seat"] = "none"
        row["color"] = colors.get(name, COLORS[k % len(COLORS)] if name != game.nobody else "#c9c4b8")
        for attachment in (a for a in game.attachments if a.to == name and a.type == "player"):
            _fields(draft, attachment, row)
        draft.row("players", "nations", row)
    for side in sides:
        draft.row("players", "sides", {"id": draft.id("sides", side), "name": side[:120]})
    _relations(draft, names)
    for player, resource, n, at in game.given:
        if n < 0:
            draft.leave(at, f"{player} begins with {n} {resource}")
        else:
            stores = (
                draft.scenario.setdefault("nations", {})
                .setdefault(draft.nation(player), {})
                .setdefault("treasury", {})
            )
            mine = stores.setdefault("nation", {})
            mine[draft.id("resources", resource)] = mine.get(draft.id("resources", resource), 0) + n


def _fields(draft: RulesetDraft, attachment: Attachment, row: Row) -> None:
    section = {"PlayerAttachment": "players", "RulesAttachment": "rules"}.get(attachment.kind)
    if section is None or (section == "rules" and not attachment.name.lower().startswith("rules")):
        return
    for option in attachment.options:
        entry = draft.meaning(section, attachment, option)
        if entry is None or "field" not in entry:
            continue
        if option.value.lower() in ("true", "false"):
            if option.value.lower() == "true":
                row[entry["field"]] = True
        elif (n := draft.number(attachment, option)) is not None:
            row[entry["field"]] = n


def _turn_lines(draft: RulesetDraft) -> dict[str, int]:
    """The order of play: players by their first step of a phase in which they move, fight or buy, else of
    any.
    """
    usual = {line["phase"] for line in draft.words["turn"] if not ("act" in line or "tech" in line)}
    steps = [(step.player, phase_of(draft, step)) for step in draft.game.steps if step.player]
    order = [player for player, phase in steps if phase in usual] + [
        player for player, phase in steps if phase
    ]
    return {player: k for k, player in enumerate(dict.fromkeys(order), 1)}


def _relations(draft: RulesetDraft, names: list[str]) -> None:
    game = draft.game
    told = {a.to: a for a in game.of("RelationshipTypeAttachment")}
    archetypes = draft.words["archetypes"]
    needed: dict[str, str] = {}  # stance id: archetype
    own: dict[str, Row] = {}
    for name in game.stances:
        attachment = told.get(name)
        archetype = attachment.get("archeType", "neutral") if attachment is not None else "neutral"
        if archetype not in archetypes:
            draft.leave(game.stances[name], f"the relationship {name}: there is no archetype {archetype!r}")
            archetype = "neutral"
        own[name] = _stance(draft, name, archetype, attachment)
    pairs: dict[frozenset[str], str] = {}
    for a, b, stance, _ in game.relations:
        if a != b:
            pairs[frozenset((a, b))] = _known_stance(draft, stance, own, needed)
    closed = (
        game.truth("Neutrals Are Impassable")
        or _charge(draft) >= draft.words["properties"]["neutralCharge"]["closed"]
    )
    for k, a in enumerate(names):
        for b in names[k + 1 :]:
            if frozenset((a, b)) in pairs:
                continue
            if game.nobody in (a, b) and game.nobody not in game.players:
                stance = "closed" if closed else "prey"
            elif set(game.alliances.get(a, ())) & set(game.alliances.get(b, ())):
                stance = "allied"
            else:
                stance = "war"
            pairs[frozenset((a, b))] = stance
            if stance in archetypes:
                needed[stance] = stance
    for stance, archetype in needed.items():
        draft.row("players", "stances", {"id": stance, "name": stance.capitalize(), **archetypes[archetype]})
    used = set(pairs.values())
    for row in own.values():
        draft.row("players", "stances", row)
    draft.row("players", "stances", dict(draft.words["toward_nobody"]["closed"]))
    if "prey" in used:
        draft.row("players", "stances", dict(draft.words["toward_nobody"]["prey"]))
    grouped: dict[tuple[str, str], list[str]] = {}
    for pair, stance in pairs.items():
        a, b = sorted(pair, key=names.index)
        grouped.setdefault((draft.nation(a), stance), []).append(draft.nation(b))
    draft.scenario["relations"] = [
        {"a": a, "b": bs, "stance": stance} for (a, stance), bs in grouped.items() if stance != "closed"
    ]


def _known_stance(draft: RulesetDraft, name: str, own: dict[str, Row], needed: dict[str, str]) -> str:
    if name in own:
        return str(own[name]["id"])
    stance = {"default_war": "war", "default_allied": "allied"}.get(name, "closed")
    if stance != "closed":
        needed[stance] = stance
    return stance


def _stance(draft: RulesetDraft, name: str, archetype: str, told: Attachment | None) -> Row:
    row: Row = {
        "id": draft.id("stances", f"{name} relation"),
        "name": name[:120],
        **draft.words["archetypes"][archetype],
    }
    if told is None:
        return row
    for option in told.options:
        entry = draft.meaning("stances", told, option)
        if entry is None or "field" not in entry:
            continue
        allowed = option.value.lower() == "true"
        if entry["field"] == "over":
            row["over"] = "always" if allowed else "never"
        elif option.value.lower() != "default" and archetype == "neutral" and allowed:
            draft.leave_option(
                told, option, "nobody goes into the land of those who are neither enemies nor friends"
            )
    return row


def _charge(draft: RulesetDraft) -> int:
    text = draft.game.properties.get("neutralCharge", ("0", 0))[0]
    return int(text) if text.isdigit() else 0


# ---- the turn


def phase_of(draft: RulesetDraft, step: GameStep) -> str:
    """The phase of our frame that a step is; empty for steps that are no part of a player's turn."""
    return str(_line(draft, step).get("phase", ""))


def _line(draft: RulesetDraft, step: GameStep) -> Row:
    for line in draft.words["phases"]:
        if line["delegate"] == step.delegate and step.name.lower().endswith(line.get("step", "").lower()):
            return dict(line)
    return {}


def sequence(draft: RulesetDraft) -> None:
    """The phases of a turn in the order of most players, and who has which; what runs otherwise is listed."""
    orders: dict[str, list[str]] = {}
    for step in draft.game.steps:
        line = _line(draft, step)
        if not line:
            draft.leave(step.line, f"step {step.name}: the delegate {step.delegate}")
        elif line["phase"] and not step.player:
            draft.leave(step.line, f"step {step.name}: it belongs to no player")
        elif line["phase"]:
            mine = orders.setdefault(step.player, [])
            if line["phase"] in mine:
                draft.leave(
                    step.line, f"step {step.name}: {step.player} has this phase a second time in a round"
                )
            else:
                mine.append(line["phase"])
            if "without" in line:
                draft.features.setdefault("no_income", []).append(step.player)
    standard = _standard(draft, orders.values())
    for player, mine in orders.items():
        if mine != [phase for phase in standard if phase in mine]:
            at = next(s.line for s in draft.game.steps if s.player == player)
            draft.leave(at, f"the steps of {player}: played in the order {', '.join(standard)}")
    draft.features["phases"] = standard
    draft.features["has_phase"] = {
        phase: [p for p, mine in orders.items() if phase in mine] for phase in standard
    }


def _standard(draft: RulesetDraft, orders: Iterable[list[str]]) -> list[str]:
    """The order of phases that most players have; phases that only others have come where those have them."""
    listed = sorted(orders, key=lambda mine: -sum(1 for other in orders if other == mine))
    found: list[str] = []
    for mine in listed:
        for k, phase in enumerate(mine):
            if phase not in found:
                found.insert(next((found.index(p) + 1 for p in reversed(mine[:k]) if p in found), 0), phase)
    for line in draft.words["turn"]:
        if line["phase"] not in found and "after" in line:
            found.insert(found.index(line["after"]) + 1 if line["after"] in found else 0, line["phase"])
    return found


# ---- the end


def ends(draft: RulesetDraft) -> None:
    """A side wins with the victory cities that the file asks for, or when none of its enemies holds a capital
    any more.
    """
    game = draft.game
    sides = [
        (name, draft.id("sides", name))
        for name in dict.fromkeys(a for mine in game.alliances.values() for a in mine[:1])
    ]
    known = {row["id"] for row in draft.rows["players"].get("sides", ())}
    sides = [(name, id_) for name, id_ in sides if id_ in known]
    with_capital = [row["id"] for row in draft.rows["players"]["nations"] if row.get("capital")]
    counted = any(row.get("victory_city") for file in draft.rows.values() for row in file.get("places", ()))
    for name, side in sides:
        for rule, entry in draft.words["properties"].items():
            if "victory" in entry and game.truth(rule) and counted:
                text, line = game.properties.get(f"{name} {entry['victory']}", ("", game.properties[rule][1]))
                if not text.isdigit():
                    draft.leave(line, f"{rule}: how many of them {name} need is not said")
                    continue
                draft.row(
                    "victory",
                    "victory",
                    {
                        "id": draft.fresh("victory", f"{name} {rule}"),
                        "name": f"{rule} of {name}"[:120],
                        "kind": "game_end",
                        "wins": side,
                        "when": f"sum(places(), 'city_of', '{side}') >= {int(text)}",
                        "says": f"{name} win: {rule}.",
                    },
                )
        if len(sides) > 1 and with_capital:
            group = f"group('{draft.group('nations', with_capital, 'players with a capital')}')"
            draft.row(
                "victory",
                "victory",
                {
                    "id": draft.fresh("victory", f"{name} last"),
                    "name": f"{name} are left"[:120],
                    "kind": "game_end",
                    "wins": side,
                    "when": f"any({group}, 'stands_for', '{side}') and not any({group}, 'stands_against', "
                    f"'{side}')",
                    "says": f"{name} win: none of their enemies holds a capital.",
                },
            )
