"""Text to nodes: every value has its place, every malformed file one clear refusal, nothing raises."""

from __future__ import annotations

import os
import time
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from wteaw.core.canonical import dumps, loads
from wteaw.ruleset.load import MAX_BYTES, load_bytes, load_text
from wteaw.ruleset.nodes import find, pack, plain_value, unpack

from .folders import found, own_cache, write  # noqa: F401

REFUSED = [
    # text, code, line, column
    (b"", "E107", 1, 1),
    (b"# only a remark\n", "E107", 1, 1),
    (b"\xef\xbb\xbf", "E107", 1, 1),
    (b"a: caf\xe9\n", "E103", 1, 7),
    (b"\xef\xbb\xbfa: 1\nb: \xff", "E103", 2, 4),
    ("a: 1".encode("utf-16"), "E103", 1, 1),
    (b"a: 1\nb: x\x00y\n", "E104", 2, 5),
    (b"a: \x1b[0m\n", "E104", 1, 4),
    (b"a:\n\tb: 1\n", "E105", 2, 1),
    (b"a:\n  \tb: 1\n", "E105", 2, 3),
    (b"- 1\n", "E108", 1, 1),
    (b"word\n", "E108", 1, 1),
    (b"a: 1\n---\nb: 2\n", "E109", 2, 1),
    (b"a: 1\nb: 2\na: 3\n", "E110", 3, 1),
    (b"a: {x: 1, y: 2, x: 3}\n", "E110", 1, 17),
    (b"1: a\n'1': b\n", "E110", 2, 1),
    (b"? [x, y]\n: 1\n", "E111", 1, 3),
    (b"a: 1\n'': 2\n", "E111", 2, 1),
    (b"a: !!python/object:os.system x\n", "E112", 1, 4),
    (b"a: !mine x\n", "E112", 1, 4),
    (b"%TAG ! tag:x,2000:\n---\na: 1\n", "E112", 2, 1),
    (b"a: *nowhere\n", "E113", 1, 4),
    (b"a: &x [1, *x]\n", "E113", 1, 11),
    (b"a: {<<: 3, b: 1}\n", "E114", 1, 9),
    (b"a: .inf\n", "E116", 1, 4),
    (b"a: [1, 1e999999999]\n", "E116", 1, 8),
    (b"a: b: c\n", "E106", 1, 5),
    (b"a: [1, 2\nb: 3\n", "E106", 1, 4),
    (b"x: 1\na: {b: 1\n", "E106", 2, 4),
    (b'a: 1\nb: "open\n', "E106", 2, 4),
    (b"a: 1\n  b: 2\n", "E106", 2, 4),
    (b"a: 1\njust words\nb: 2\n", "E106", 2, 1),
    (b"a: 1\n- b\n", "E106", 2, 1),
    (b"a: `x`\n", "E106", 1, 4),
    (b"a:\t1\n", "E106", 1, 3),
    (b'a: "\\q"\n', "E106", 1, 6),
    (b"%YAML 1.1\n---\na: 1\n", "E106", 2, 1),
]


@pytest.mark.parametrize(("text", "code", "line", "column"), REFUSED)
def test_malformed_text_is_refused_at_its_place(text: bytes, code: str, line: int, column: int) -> None:
    _, findings = load_bytes(text, "f.yaml")
    assert [(d.code, d.line, d.column) for d in findings] == [(code, line, column)]
    assert findings[0].file == "f.yaml"
    assert findings[0].severity == "error"


def test_a_byte_that_is_not_utf8_is_named_with_its_offset() -> None:
    assert "byte offset 6" in load_bytes(b"a: caf\xe9\n", "f")[1][0].message
    assert "byte offset 11" in load_bytes(b"\xef\xbb\xbfa: 1\nb: \xff", "f")[1][0].message


def test_every_key_and_value_has_its_line_and_column() -> None:
    node, findings = load_text("units:\n- id: one\n  tags: [land, 'sea']\n", "f")
    assert node is not None
    assert findings == []
    assert node.key_where("units") == "f:1:1"
    row = find(node, ["units", 0])
    assert row.where == "f:2:3"
    assert row.key_where("tags") == "f:3:3"
    assert find(row, ["tags", 1]).where == "f:3:16"
    assert find(row, ["tags", 9, "x"]).where == "f:3:9"  # the nearest above


def test_values_follow_the_core_schema_and_stay_exact() -> None:
    text = "a: [on, no, off, 2026-01-01, 3..5, 12, 0x1f, 0.1, 2.0, -1.5e2, ~, true, '7', 1d10-2, 3/4]\n1: x\n"
    node, findings = load_text(text, "f")
    assert findings == []
    assert node is not None
    assert plain_value(node) == {
        "1": "x",
        "a": [
            *(
                "on",
                "no",
                "off",
                "2026-01-01",
                "3..5",
                12,
                31,
                Fraction(1, 10),
                2,
                -150,
                None,
                True,
                "7",
                "1d10-2",
                "3/4",
            )
        ],
    }


def test_anchors_and_merge_keys_work() -> None:
    node, findings = load_text("base: &b {x: 1, y: 2}\none: {<<: *b, y: 3}\ntwo: *b\n", "f")
    assert findings == []
    assert node is not None
    assert plain_value(node) == {"base": {"x": 1, "y": 2}, "one": {"x": 1, "y": 3}, "two": {"x": 1, "y": 2}}


def test_aliases_that_explode_are_refused_at_once() -> None:
    lines = ["a0: &a0 [x, x]"] + [f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}, *a{n - 1}]" for n in range(1, 60)]
    node, findings = load_text("\n".join(lines), "f")
    assert node is None
    assert [d.code for d in findings] == ["E113"]


def test_merge_keys_count_as_aliases_do() -> None:
    text = "x: &x {" + ", ".join(f"k{n}: 1" for n in range(1000)) + "}\n"
    text += "".join(f"m{n}: {{<<: *x}}\n" for n in range(100))
    assert [d.code for d in load_text(text, "f")[1]] == ["E113"]


@pytest.mark.parametrize("text", ["a: " + "[" * 5000, "a: " + "{b: " * 5000, "- " * 5000])
def test_deep_nesting_is_refused(text: str) -> None:
    node, findings = load_text(text, "f")
    assert node is None
    assert [d.code for d in findings] == ["E115"]


def test_aliases_do_not_hide_depth() -> None:
    deep = "[" * 40 + "1" + "]" * 40
    assert [d.code for d in load_text(f"a: &a {deep}\nb: {'[' * 40}*a{']' * 40}\n", "f")[1]] == ["E115"]


def test_a_file_of_mistakes_is_not_reported_without_end() -> None:
    assert len(load_text("a: 1\n" * 5000, "f")[1]) <= 101


@pytest.mark.parametrize(
    "text",
    [
        "#" * 200_000,
        "a: " + "x " * 50_000,
        "%" * 50_000,
        "!" * 50_000,
        "a: |\n" + " x\n" * 30_000,
        "&a " * 20_000,
        "\n" * 100_000,
    ],
)
def test_odd_files_take_no_more_time_than_their_length(text: str) -> None:
    start = time.process_time()
    load_text(text, "f")
    assert time.process_time() - start < 60  # the square of it would be hours


YAMLISH = st.text(
    st.sampled_from(list("ab1: -?[]{},&*!|>'\"%@`#\n\t \\.~<=é\u2028\x00\x85\ufeff")), max_size=80
)


@settings(max_examples=400, deadline=None)
@given(st.one_of(st.binary(max_size=200), YAMLISH.map(lambda t: t.encode("utf-8", "surrogatepass"))))
@example(b"\xff\xfe")
@example(b"? ")
@example(b"&")
@example(b"a: *a")
@example(b"<<: {a: 1}\n")
@example(b"&a a: *a\n")
def test_no_bytes_raise(data: bytes) -> None:
    node, findings = load_bytes(data, "f")
    assert node is not None or findings
    for d in findings:
        assert d.code
        assert d.message
        assert d.file == "f"
    if node is not None:
        plain_value(node)


@settings(max_examples=100, deadline=None)
@given(YAMLISH)
def test_the_packed_form_gives_the_same_tree(text: str) -> None:
    node, _ = load_text(text, "f")
    if node is not None:
        again = unpack(pack(node), "f")
        assert plain_value(again) == plain_value(node)
        assert again.where == node.where
        assert pack(again) == pack(node)


# --- files


def test_a_file_too_large_is_not_read(tmp_path: Path) -> None:
    write(tmp_path, {"tables/big.yaml": b"#" * (MAX_BYTES + 1)})
    assert [(d.code, d.file) for d in found(tmp_path)] == [("E102", "tables/big.yaml")]


def test_a_link_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret.yaml").write_text("password: x\n")
    folder = write(tmp_path / "game", {"tables/ok.yaml": "places: []\n"})
    (folder / "tables" / "out.yaml").symlink_to(tmp_path / "secret.yaml")
    findings = found(folder)
    assert [(d.code, d.file) for d in findings] == [("E117", "tables/out.yaml")]
    assert "password" not in str(findings)


def test_a_folder_of_tables_that_is_a_link_out_is_refused(tmp_path: Path) -> None:
    outside = write(tmp_path / "other", {"tables/t.yaml": "places: []\n"})
    folder = write(tmp_path / "game", {})
    (folder / "tables").symlink_to(outside / "tables")
    assert [d.code for d in found(folder)] == ["E117"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_does_not_hang_the_reader(tmp_path: Path) -> None:
    write(tmp_path, {})
    (tmp_path / "tables").mkdir()
    os.mkfifo(tmp_path / "tables" / "pipe.yaml")
    assert [d.code for d in found(tmp_path)] == ["E101"]


def test_a_folder_without_manifest_is_no_ruleset(tmp_path: Path) -> None:
    assert [d.code for d in found(tmp_path)] == ["E120"]


def test_a_table_in_the_wrong_place_is_pointed_out(tmp_path: Path) -> None:
    write(
        tmp_path, {"table/units.yaml": "units: []\n", "stray.yaml": "units: []\n", "tests/t.yaml": "x: 1\n"}
    )
    assert [(d.code, d.file) for d in found(tmp_path)] == [
        ("W121", "stray.yaml"),
        ("W121", "table/units.yaml"),
    ]


def test_a_broken_file_does_not_hide_mistakes_in_others(tmp_path: Path) -> None:
    write(tmp_path, {"tables/a.yaml": "places: [\n", "tables/b.yaml": "places:\n- {id: x}\n"})
    assert [(d.code, d.file) for d in found(tmp_path)] == [
        ("E106", "tables/a.yaml"),
        ("E207", "tables/b.yaml"),
    ]


def test_a_file_from_the_cache_is_as_it_was_written(tmp_path: Path) -> None:
    text = b"actions:\n- id: shout\n  syntax: shout {n}\n  slots: {n: number, at: place}\n  help: stated\n"
    tree, found = load_bytes(text, "a.yaml")
    assert tree is not None and not found
    kept = unpack(loads(dumps(pack(tree))), "a.yaml")
    assert plain_value(kept) == plain_value(tree) and kept.keys == tree.keys
    assert list(kept.value["actions"].value[0].value) == ["id", "syntax", "slots", "help"]
