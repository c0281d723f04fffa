"""What a moderator could do to a game without noticing: each is told, asked for, or refused. All by the commands as they are typed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from wteaw.cli import _run
from wteaw.core.fairness import order_salt
from wteaw.store import Game

GERMANY, RUSSIA = "german-empire", "russian-empire"


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = _run([str(a) for a in arguments])
    out = capsys.readouterr()
    return code, out.out, out.err


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A game of 1914 with two players that waits for deployments, of its first turn."""
    folder = tmp_path_factory.mktemp("begun") / "marne"
    assert (
        _run(
            [
                "new",
                "1914",
                "--game",
                str(folder),
                "--player",
                "germany",
                "--player",
                "russia",
                "--seed",
                "42",
            ]
        )
        == 0
    )
    return folder


@pytest.fixture(scope="module")
def deployed(begun: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same when Germany has deployed and Russia has not, and the orders of turn 1 are wanted."""
    folder = tmp_path_factory.mktemp("deployed") / "marne"
    shutil.copytree(begun, folder)
    file = folder.parent / "deploy.txt"
    file.write_text("deploy 2 infantry to berlin\n")
    assert _run(["orders", "submit", "--game", str(folder), "--nation", "germany", str(file)]) == 0
    assert _run(["resolve", "--game", str(folder), "--force"]) == 0
    return folder


@pytest.fixture
def game(deployed: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(deployed, tmp_path / "marne"))


def submit(capsys: pytest.CaptureFixture[str], game: Path, nation: str, *lines: str) -> tuple[int, str, str]:
    file = game.parent / f"{nation}.txt"
    file.write_text("\n".join(lines) + "\n")
    return run(capsys, "orders", "submit", "--game", game, "--nation", nation, file)


# ---- decisions


def test_a_decision_is_no_submission(capsys: pytest.CaptureFixture[str], game: Path) -> None:
    assert submit(capsys, game, GERMANY, "research tanks")[0] == 0
    assert run(capsys, "decide", "russia", "surrender", "refuse", "--game", game)[0] == 0
    told = json.loads(run(capsys, "status", "--game", game, "--json")[1])
    assert told["late"] == [RUSSIA]
    assert (
        "nothing has come in; the moderator answers surrender: refuse"
        in run(capsys, "status", "--game", game)[1]
    )
    code, _, err = run(capsys, "resolve", "--game", game)
    assert code == 3 and "no orders yet from Russian Empire; `--force`" in err


def test_only_open_questions_are_answered(
    capsys: pytest.CaptureFixture[str], begun: Path, game: Path, tmp_path: Path
) -> None:
    before = Path(shutil.copytree(begun, tmp_path / "before"))
    asks = ("decide", "germany", "zone-at-the-start")
    code, _, err = run(capsys, *asks, "yes", "--game", before)
    assert code == 2 and "'yes' is no place" in err, "a zone is meant"
    assert run(capsys, *asks, "baltic-sea", "--game", before)[0] == 0, "the deployments are still to come"
    code, _, err = run(capsys, *asks, "baltic-sea", "--game", game)
    assert (
        code == 2
        and "nothing asks zone at the start before orders are taken again; open are surrender" in err
    )
    code, _, err = run(capsys, "decide", "germany", "surrender", "perhaps", "--game", game)
    assert code == 2 and "it is one of accept, refuse" in err
    assert not Game.open(game).decided()
    listed = run(capsys, "decide", "--game", game)[1]
    assert "May be asked: a  surrender (with /a nation): How you" in listed and "zone" not in listed


def test_decisions_and_answers_are_typed_by_letter_by_words_and_by_id(
    capsys: pytest.CaptureFixture[str], begun: Path, game: Path, tmp_path: Path
) -> None:
    for typed in ("a/Russia", "A, russia", "surrender/Russian Empire", f"surrender/{RUSSIA}"):
        code, told, err = run(capsys, "decide", "germany", typed, "Refuse", "--game", game)
        assert code == 0 and "German Empire answers surrender, Russian Empire: refuse (turn 1)." in told, (
            typed,
            err,
        )
        assert Game.open(game).decided() == {GERMANY: {f"surrender/{RUSSIA}": "refuse"}}, typed
    code, _, err = run(capsys, "decide", "germany", "peace", "yes", "--game", game)
    assert code == 2 and "no decision is called 'peace'; you may answer:\n  a  surrender" in err
    before = Path(shutil.copytree(begun, tmp_path / "before"))
    assert run(capsys, "decide", "germany", "Zone at the start", "Baltic Sea", "--game", before)[0] == 0
    assert Game.open(before).decided() == {GERMANY: {"zone-at-the-start": "baltic-sea"}}


def test_a_decision_is_shown_and_outlives_what_the_player_sends(
    capsys: pytest.CaptureFixture[str], game: Path
) -> None:
    submit(capsys, game, RUSSIA, "offer surrender")
    submit(capsys, game, GERMANY, "research tanks")
    run(capsys, "decide", "germany", f"surrender/{RUSSIA}", "refuse", "--game", game)
    submit(capsys, game, GERMANY, "research tanks", "build 1 infantry in berlin")
    told = "The moderator answers surrender, Russian Empire: refuse"
    assert told in run(capsys, "orders", "show", "--game", game, "--nation", GERMANY)[1]
    assert Game.open(game).decided() == {GERMANY: {f"surrender/{RUSSIA}": "refuse"}}
    assert run(capsys, "resolve", "--game", game)[0] == 0
    refused = [f.roles["by"] for e in Game.open(game).journal(turn=1) for f in e.facts if f.word == "refused"]
    assert refused == [GERMANY]
    assert run(capsys, "verify", "--game", game)[0] == 0


def test_what_the_player_answers_themselves_takes_its_place(
    capsys: pytest.CaptureFixture[str], game: Path
) -> None:
    submit(capsys, game, RUSSIA, "offer surrender")
    run(capsys, "decide", "germany", f"surrender/{RUSSIA}", "refuse", "--game", game)
    submit(capsys, game, GERMANY, "accept surrender of Russia")
    told = json.loads(run(capsys, "orders", "show", "--game", game, "--nation", GERMANY, "--json")[1])
    assert told["decided"] == {} and told["answers"] == {f"surrender/{RUSSIA}": "accept"}
    assert run(capsys, "verify", "--game", game)[0] == 0, (
        "that the answer was taken away stands in the chain, too"
    )


# ---- offers


def test_an_offer_reaches_the_other_side_before_it_counts(
    capsys: pytest.CaptureFixture[str], game: Path
) -> None:
    submit(capsys, game, GERMANY, "research tanks")
    plain = run(capsys, "orders", "template", "--game", game, "--nation", GERMANY)[1]
    _, out, _ = submit(capsys, game, RUSSIA, "offer surrender")
    assert "German Empire is told of this offer before the turn is resolved" in out
    sheet = run(capsys, "orders", "template", "--game", game, "--nation", GERMANY)[1]
    assert "## Russian Empire offers to surrender.\n# accept surrender of Russian Empire\n" in sheet
    assert plain.count("surrender") == 0
    assert "Tell German Empire, who has not answered" in run(capsys, "status", "--game", game)[1]
    assert (
        "NOT ANSWERED: Russian Empire offers"
        in run(capsys, "orders", "show", "--game", game, "--nation", GERMANY)[1]
    )
    code, _, err = run(capsys, "resolve", "--game", game)
    assert code == 3 and "has not answered" in err and "--force" in err
    submit(capsys, game, GERMANY, "research tanks", "refuse surrender of Russia")
    assert "Nobody is missing" in run(capsys, "status", "--game", game)[1]
    assert run(capsys, "resolve", "--game", game)[0] == 0


def test_others_hear_nothing_of_an_offer(capsys: pytest.CaptureFixture[str], game: Path) -> None:
    before = run(capsys, "orders", "template", "--game", game, "--nation", "france")[1]
    submit(capsys, game, RUSSIA, "offer surrender")
    assert run(capsys, "orders", "template", "--game", game, "--nation", "france")[1] == before, (
        "France is of Russia's side"
    )


# ---- going back


def test_rollback_says_what_it_drops_and_goes_to_the_orders(
    capsys: pytest.CaptureFixture[str], game: Path
) -> None:
    submit(capsys, game, GERMANY, "research tanks")
    submit(capsys, game, RUSSIA, "research tanks", "build 1 infantry in moscow")
    assert run(capsys, "resolve", "--game", game)[0] == 0
    submit(capsys, game, GERMANY, "research tanks")
    back = ("rollback", "--game", game, "--turn", 1, "--reason", "misread")
    code, out, _ = run(capsys, *back)
    assert code == 0 and "Stage 2: turn 1, where it waits for orders" in out, (
        "not to the deployments of turn 1"
    )
    assert "Dropped: the 1 order of German Empire for turn 2." in out and "Nothing is changed" in out
    assert "(German Empire, Russian Empire)" in out, "whose orders are kept"
    assert Game.open(game).stage().position.turn == 2
    code, out, _ = run(capsys, *back, "--yes")
    there = Game.open(game)
    assert code == 0 and "Dropped: the 1 order of German Empire" in out and there.stage().number == 2
    assert len(there.submissions()[RUSSIA].orders) == 2
    status = run(capsys, "status", "--game", game)[1]
    assert "sent by the policy" not in status and "34 more nations are played by bots" in status


def test_rollback_to_a_stage_drops_its_orders_as_it_says(
    capsys: pytest.CaptureFixture[str], game: Path
) -> None:
    submit(capsys, game, RUSSIA, "research tanks")
    told = json.loads(run(capsys, "rollback", "--game", game, "--to", 1, "--reason", "x", "--json")[1])
    assert (
        told["files"] == [{"turn": 1, "nation": RUSSIA, "orders": 1}]
        and told["kept"] == [GERMANY]
        and not told["changed"]
    )
    run(capsys, "rollback", "--game", game, "--to", 1, "--reason", "x", "--yes")
    assert set(Game.open(game).submissions()) >= {GERMANY} and RUSSIA not in Game.open(game).submissions()


# ---- reports and dice


def test_a_report_of_one_nation_writes_that_nations_alone(
    capsys: pytest.CaptureFixture[str], game: Path, tmp_path: Path
) -> None:
    assert run(capsys, "report", "--game", game, "--nation", GERMANY, "--out", tmp_path / "one")[0] == 0
    assert {p.name for p in (tmp_path / "one").iterdir()} == {f"{GERMANY}.txt", f"{GERMANY}.html"}


def test_who_sent_nothing_for_the_first_stage_is_told_of_the_dice(
    capsys: pytest.CaptureFixture[str], game: Path
) -> None:
    _, out, _ = submit(capsys, game, RUSSIA, "research tanks")
    assert "It has no part in the dice of turn 1" in out
    _, out, _ = submit(capsys, game, GERMANY, "research tanks")
    assert f"Your part in the dice of turn 1: {order_salt('deploy 2 infantry to berlin' + chr(10))}" in out, (
        "that of the first file"
    )
    assert (
        f"Without a part in the dice of the turn, since they have sent nothing for it: {RUSSIA}."
        in run(capsys, "close", "--game", game)[1]
    )


# ---- the commands


def test_the_verdict_of_submit_is_on_standard_output(capsys: pytest.CaptureFixture[str], game: Path) -> None:
    code, out, err = submit(capsys, game, GERMANY, "research tanks")
    assert (
        code == 0
        and out.index("You try to discover Tanks") < out.index("1 order is submitted for German Empire")
        and not err
    )
    code, out, err = submit(capsys, game, GERMANY, "hello world of nonsense")
    assert code == 1 and "Nothing was submitted; 1 order submitted before still counts." in out and not err
    file = game.parent / "g.txt"
    file.write_text("research tanks\n")
    _, out, err = run(capsys, "orders", "submit", "--game", game, "--nation", GERMANY, file, "--json")
    assert json.loads(out)["read_back"]["standing"] == 1 and "submitted for German Empire" in err


@pytest.mark.parametrize("seed", ["42", "the Marne, again", "5a" * 32, "5A" * 16])
def test_a_seed_is_any_text(capsys: pytest.CaptureFixture[str], tmp_path: Path, seed: str) -> None:
    anchors = []
    for name in ("one", "two"):
        code, out, _ = run(
            capsys, "new", "diplomacy", "--game", tmp_path / name, "--name", "g", "--seed", seed, "--json"
        )
        assert code == 0
        anchors.append(json.loads(out)["anchor"])
    assert anchors[0] == anchors[1]
    other = json.loads(
        run(
            capsys,
            "new",
            "diplomacy",
            "--game",
            tmp_path / "three",
            "--name",
            "g",
            "--seed",
            seed + "0",
            "--json",
        )[1]
    )
    assert other["anchor"] != anchors[0]


NAMES = {
    "Re: Krieg": True, "x; y": True, "A/B-Cup, game 3": True, "Krieg (turn 2)": True, "Verdun nation": True,
    "game 2 nation germany turn 4": True, "Gro\u00dfer Krieg \U0001f3b2": True, "a  b": True,
    "..": False, "   ": False, "two\nlines": False, "two\u2028lines": False, "line\n": False,
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_game_has_a_name_that_its_own_form_says(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str
) -> None:
    """What `new` takes as a name is understood at the head of an order form; another is refused in words."""
    code, _, err = run(capsys, "new", "diplomacy", "--game", tmp_path / "g", "--name", name)
    assert (code == 0) is NAMES[name]
    if not NAMES[name]:
        assert "cannot be the name of a game" in err
        return
    _, form, _ = run(capsys, "orders", "template", "--game", tmp_path / "g", "--nation", "france")
    head, _, rest = form.partition("\n")
    (tmp_path / "form.txt").write_text(f"{head}\nA PAR - BUR\n{rest}", encoding="utf-8")
    code, out, _ = run(
        capsys, "orders", "check", "--game", tmp_path / "g", "--nation", "france", tmp_path / "form.txt"
    )
    assert code == 0 and "1 ORDER IS VALID" in out


def test_games_are_listed_with_what_they_wait_for(capsys: pytest.CaptureFixture[str], game: Path) -> None:
    told = json.loads(run(capsys, "games", game.parent, "--json")[1])["games"]
    assert [(g["game"], g["turn"], g["late"]) for g in told] == [(str(game), 1, [GERMANY, RUSSIA])]
    assert (
        json.loads(run(capsys, "games", game / "game.db", "--json")[1])["games"][0]["game"]
        == f"{game / 'game.db'}#marne"
    )
    code, _, err = run(capsys, "games", game.parent / "nowhere")
    assert code == 2 and "neither a folder nor a database" in err


def test_scenarios_are_listed_with_their_rules(capsys: pytest.CaptureFixture[str]) -> None:
    told = {s["name"]: s for s in json.loads(run(capsys, "scenarios", "--json")[1])["scenarios"]}
    assert told["1914"]["rules"] == "The War to End All Wars" and all(
        s["title"] and s["rules"] for s in told.values()
    )
    _, _, err = run(capsys, "new", "1915", "--game", "x")
    assert "`wteaw scenarios`" in err and all(name in err for name in told)
