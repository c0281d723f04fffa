"""Tables of one cast: cells of one kind under all keys, bands that leave nothing out; and what reads them asks as it must."""

from __future__ import annotations

from pathlib import Path

import pytest

from .folders import errors_are_told, own_cache  # noqa: F401

TABLES = [
    # a table, › before each place that is told; the codes in order
    ("{id: t, rows: {a: 1, b: 1/2}, default: 0}", ""),
    ("{id: t, rows: {a: yes, b: no}, default: maybe}", ""),
    ("{id: t, rows: {a: ›[1]}}", "E209"),
    ("{id: t, rows: {a: 1, b: ›null}}", "E209"),
    ("{id: t, rows: ›[1]}", "E208"),
    ("{id: t, rows: {›1..x: 1}}", "E210"),
    ("{id: t, rows: {1..3: 1, 4..: 2}}", ""),
    ("{id: t, rows: {a: 1, b: ›seven}}", "E215"),
    ("{id: t, rows: {a: 1}, default: ›none}", "E215"),
    ("{id: t, rows: {a: 1, b: ›true}}", "E215"),
    ("{id: t, rows: {a: 1, b: {c: ›2}}}", "E215"),
    ("{id: t, keys: [x, y], rows: {a: ›1}}", "E215"),
    ("{id: t, keys: [x, y], rows: {a: {b: 1}}}", ""),
    ("{id: t, ›keys: [x], bands: {1: 1}}", "E213"),
    ("{id: t, bands: {›few: 1}}", "E210"),
    ("{id: t, bands: {0..3: ›[1]}}", "E208"),
    ("{id: t, bands: {0..3: 1, ›5..: 2}}", "E215"),
    ("{id: t, bands: {5..: 2, 0..4: 1}}", ""),
    ("{id: t, bands: {0..3: 1, 5..: 2}, default: 0}", ""),
    ("{id: t, bands: {..3: 1, 4: 2, 5..: 3}}", ""),
]


@pytest.mark.parametrize(("row", "codes"), TABLES)
def test_cells_are_of_one_kind_under_all_keys(tmp_path: Path, row: str, codes: str) -> None:
    errors_are_told(tmp_path, f"tables:\n- {row}\n", codes)


READERS = """\
tables:
- {id: by-word, rows: {a: {b: 1}}}
- {id: by-two, keys: [x, y], rows: {a: {b: 1}}}
- {id: by-number, bands: {0..3: 1, 4..: 2}}
- {id: of-words, rows: {a: red}}
"""
READ = [
    ("lookup('by-word', 'a', 'b') + 1", ""),
    ("›lookup('by-word', 'a') + 1", "E308"),
    ("›lookup('by-two', 'a') + 1", "E308"),
    ("›lookup('by-number', 3) + 1", "E308"),
    ("band('by-number', 3) + 1", ""),
    ("›band('by-word', 3) + 1", "E308"),
    ("›lookup('of-words', 'a') + 1", "E306"),
    ("lookup('of-words', 'a') == 'red'", ""),
    ("lookup('by-word', 'a', 'b') == ›'red'", "E306"),
    ("lookup('of-words', 'a') == ›3", "E306"),
]


@pytest.mark.parametrize(("text", "codes"), READ)
def test_who_looks_a_table_up_asks_for_what_it_has(tmp_path: Path, text: str, codes: str) -> None:
    errors_are_told(tmp_path, f'{READERS}definitions:\n- {{id: t, is: "{text}"}}\n', codes)


DECISIONS = [
    ("{id: d, from: [stay, go], default: stay}", ""),
    ("{id: d, from: [stay, go], default: draw}", ""),
    ("{id: d, from: [stay, go], default: ›sty}", "E407"),
    ("{id: d, from: places(), default: nearest}", ""),
    ("{id: d, from: places(), default: home}", ""),
    ("{id: d, from: places(), default: ›nearst}", "E407"),
    ("{id: d, from: places(), default: =single(places())}", ""),
    ("{id: d, most: 3, default: all}", ""),
    ("{id: d, most: 3, default: 2}", ""),
    ("{id: d, most: 3, default: ›seven}", "E407"),
    ("{id: d, most: 3, default: ›true}", "E407"),
    (
        "{id: d, syntax: 'wait {answer}', slots: {answer: {kind: choice, choices: [long, short]}}, default: long}",
        "",
    ),
    (
        "{id: d, syntax: 'wait {answer}', slots: {answer: {kind: choice, choices: [long, short]}}, default: ›lnog}",
        "E407",
    ),
    ("{id: d, syntax: 'wait {answer}', slots: {answer: number}, default: ›all}", "E407"),
    ("{id: d, syntax: 'wait {answer}', slots: {answer: number}, default: 3}", ""),
]


@pytest.mark.parametrize(("row", "codes"), DECISIONS)
def test_the_default_of_a_decision_is_an_answer(tmp_path: Path, row: str, codes: str) -> None:
    errors_are_told(tmp_path, f"places: [{{id: home, kind: land}}]\ndecisions:\n- {row}\n", codes)
