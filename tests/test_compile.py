"""Compiling and the cache: the same ruleset fresh or kept, and a cache that can only help."""

from __future__ import annotations

import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

import pytest

from wteaw.core.canonical import dumps
from wteaw.ruleset import Ruleset, cache, compile_ruleset, load_ruleset
from wteaw.ruleset import compile as compiling

from .folders import found, loaded, own_cache, write  # noqa: F401

TABLES = """fields:\n- {id: price, of: [unit], type: number}\nplaces:\n- {id: b, kind: land, lon: 13.25, lat: 52}\n- {id: a, kind: land}\nlinks:\n- {between: [b, a], kind: land}\nunits:\n- {id: foot, name: Foot, price: 3/4}\nsequence:\n- {step: talk}\n"""


@pytest.fixture
def game(tmp_path: Path) -> Path:
    return write(tmp_path, {"tables/t.yaml": TABLES})


def entries(cache: Path) -> list[Path]:
    return sorted((cache / "rulesets").glob("*.json"))


def test_a_folder_becomes_a_ruleset(game: Path) -> None:
    rules = loaded(game)
    assert (rules.id, rules.title) == ("game", "A game")
    assert list(rules.rows("places")) == ["b", "a"]
    assert rules.row("links", "a--b") == {"id": "a--b", "between": ["b", "a"], "kind": "land"}
    assert rules.sequence == ({"step": "talk", "do": "moment"},)
    assert rules.origin("places", "a", "kind") == "tables/t.yaml:5"


def test_decimals_stay_exact_and_are_numbers(game: Path) -> None:
    place = loaded(game).row("places", "b")
    assert place["lon"] == Fraction(53, 4)
    assert float(place["lon"]) == 13.25
    assert loaded(game).row("units", "foot")["price"] == "3/4"


def test_fresh_and_kept_are_the_same(game: Path, own_cache: Path) -> None:  # noqa: F811
    fresh, told = load_ruleset(game)
    assert len(entries(own_cache)) == 1
    kept, told_again = load_ruleset(game)
    without, _ = compile_ruleset(game)
    assert fresh is not None
    assert kept is not None
    assert without is not None
    assert dumps(fresh.to_json()) == dumps(kept.to_json()) == dumps(without.to_json())
    assert fresh.hash == kept.hash == without.hash
    assert list(kept.rows("places")) == ["b", "a"]
    assert told == told_again


def test_a_kept_ruleset_is_not_compiled_again(game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded(game)
    monkeypatch.setattr(compiling, "assemble", lambda *a, **k: pytest.fail("compiled again"))
    loaded(game)


@pytest.mark.parametrize("name", ["ruleset.yaml", "tables/t.yaml"])
def test_any_change_of_a_file_compiles_again(game: Path, name: str) -> None:
    before = loaded(game).origins
    path = game / name
    path.write_text("# a remark\n" + path.read_text())
    assert loaded(game).origins != before


def test_a_new_file_and_a_changed_base_compile_again(tmp_path: Path) -> None:
    base = write(tmp_path / "base", {"tables/t.yaml": TABLES})
    over = write(tmp_path / "over", {"ruleset.yaml": "id: o\ntitle: O\nextends: ../base\n"})
    assert loaded(over).row("units", "foot")["price"] == "3/4"
    write(base, {"tables/t.yaml": TABLES.replace("3/4", "2")})
    assert loaded(over).row("units", "foot")["price"] == 2
    write(base, {"tables/u.yaml": "units:\n- {id: boat, name: Boat}\n"})
    assert loaded(over).has("units", "boat")


@pytest.mark.parametrize("damage", [b"", b"nonsense", b"0" * 64 + b"\n{}", b"\xff\xfe", b"{}\n{}"])
def test_a_damaged_entry_is_made_anew(game: Path, own_cache: Path, damage: bytes) -> None:  # noqa: F811
    first = loaded(game)
    (entry,) = entries(own_cache)
    good = entry.read_bytes()
    entry.write_bytes(damage)
    assert loaded(game).hash == first.hash
    assert entry.read_bytes() == good


def test_a_sound_entry_of_another_shape_is_made_anew(game: Path, own_cache: Path) -> None:  # noqa: F811
    import hashlib

    first = loaded(game)
    (entry,) = entries(own_cache)
    for body in (b"[]", b'{"ruleset":{},"found":[]}', b'{"ruleset":null,"found":[{"x":1}]}', b"null"):
        entry.write_bytes(hashlib.sha256(body).hexdigest().encode() + b"\n" + body)
        assert loaded(game).hash == first.hash


def test_findings_are_kept_too(tmp_path: Path) -> None:
    write(tmp_path, {"tables/t.yaml": "places:\n- {id: a}\n"})
    first = load_ruleset(tmp_path)
    assert first == load_ruleset(tmp_path)
    assert first[0] is None
    assert [d.source_line for d in first[1]] == ["- {id: a}"]


def test_a_cache_that_cannot_be_written_is_done_without(
    game: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("WTEAW_CACHE", str(tmp_path / "file"))
    assert loaded(game).hash == loaded(game).hash


def test_many_at_once_agree(game: Path, own_cache: Path) -> None:  # noqa: F811
    start = threading.Barrier(8)

    def load(_: int) -> str:
        start.wait()
        return loaded(game).hash

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(load, range(8)))) == 1
    assert len(entries(own_cache)) == 1
    assert not list((own_cache / "rulesets").glob(".new-*"))


def test_the_hash_is_of_what_can_change_a_game(game: Path, tmp_path: Path) -> None:
    same = write(
        tmp_path / "same",
        {"tables/x.yaml": "# moved\n" + TABLES.replace("kind: land, lon: 13.25", "lon: 13.25, kind: land")},
    )
    other = write(
        tmp_path / "other",
        {
            "tables/t.yaml": TABLES.replace("- {id: a, kind: land}\n", "").replace(
                "places:\n", "places:\n- {id: a, kind: land}\n"
            )
        },
    )
    assert loaded(same).hash == loaded(game).hash
    assert loaded(other).hash != loaded(game).hash  # the order of rows counts


def test_a_broken_ruleset_is_none_unless_asked_for(tmp_path: Path) -> None:
    write(tmp_path, {"tables/t.yaml": "places:\n- {id: a, kind: land}\n- {id: b}\n"})
    assert load_ruleset(tmp_path)[0] is None
    broken, told = load_ruleset(tmp_path, keep_broken=True)
    assert isinstance(broken, Ruleset)
    assert broken.has("places", "a")
    assert [d.code for d in told] == ["E207"]


@pytest.mark.parametrize("name", ["nodes", "load", "tree"])
def test_a_program_that_reads_or_keeps_files_otherwise_takes_no_kept_tree_of_another(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = Path(cache.__file__).parents[1]
    shutil.copytree(package / "ruleset", tmp_path / "ruleset")
    monkeypatch.setattr(cache, "_PACKAGE", tmp_path)
    before = cache.reader_digest.__wrapped__()
    changed = tmp_path / "ruleset" / f"{name}.py"
    changed.write_text(changed.read_text("utf-8") + "\n# other\n", "utf-8")
    assert cache.reader_digest.__wrapped__() != before
