"""`wteaw format`: data and comments stay, no line runs over, a second run changes nothing."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from wteaw.cli import main
from wteaw.ruleset import layout
from wteaw.ruleset.layout import WIDTH, CannotBeLaidOut, comment_words, laid_out
from wteaw.ruleset.load import load_text
from wteaw.ruleset.nodes import plain_value
from wteaw.ruleset.refused import UnreadableText

ROOT = Path(__file__).parents[1]
FOLDERS = [
    "ruleset/clauses",
    "ruleset/events",
    "ruleset/tables",
    "ruleset/tests",
    "ruleset/variants",
    "scenarios",
    "docs/examples",
]
_KEY = re.compile(r""" *(?:- )?("[^"]*"|'[^']*'|[^\s:]*): \S*$""")


def value(text: str) -> Any:
    root, found = load_text(text, "t.yaml")
    assert root is not None and not found, found
    return plain_value(root)


def may_be_long(line: str) -> bool:
    """Whether a line holds nothing that could be broken: one word, or a key with a word after it."""
    return " " not in line.strip().removeprefix("- ") or _KEY.match(line) is not None


def test_tables_that_all_change_keep_their_data_and_comments(monkeypatch: pytest.MonkeyPatch) -> None:
    files = sorted(file for folder in FOLDERS for file in (ROOT / folder).rglob("*.yaml"))[::12]
    for file in files:
        text = file.read_text("utf-8")
        with monkeypatch.context() as narrower:
            narrower.setattr(layout, "WIDTH", 50)
            narrow = laid_out(text, file.name)
        assert narrow != text or len(text) < 1_000, file
        new = kept(narrow, file)
        assert value(new) == value(text), file
        assert comment_words(new) == comment_words(text), file


def kept(text: str, file: Path) -> str:
    """The layout of a text of which nothing is lost, that runs over nowhere, and that is its own layout."""
    new = laid_out(text, file.name)
    if new != text:
        assert value(new) == value(text), file
        assert comment_words(new) == comment_words(text), file
        assert laid_out(new, file.name) == new, file
    if text.startswith("# yaml-language-server"):
        assert new.partition("\n")[0] == text.partition("\n")[0]
    over = [line for line in new.splitlines() if len(line) > WIDTH and not may_be_long(line)]
    if over:  # of a text that is kept line by line, nothing can be broken
        verbatim = [
            str(e.value) for e in yaml.parse(new, Loader=yaml.CSafeLoader) if getattr(e, "style", "") == "|"
        ]
        over = [line for line in over if line.strip() not in "\n".join(verbatim)]
    assert not over, (file, over[0])
    return new


WRITTEN = """\
# yaml-language-server: $schema=../../schemas/table-file.schema.json
# What this file holds, at such length that it cannot stay on one line of the width that all of the tables have.
# And more.
events:
  # ---- Small
  - {id: short, when: "turn == 1", source: [x.a]}  # beside a short one
  - {source: [x.b], id: long, when: "turn > 1 and any(units(kind='infantry'), 'is_tired')", text: "A text: with more.", note: said}  # beside

  - &base
    note: why it is so
    id: base
    steps: [{first: 1, second: "02"}, {first: 2,  # inside
      second: no}]
    text: Words that go on for so long that no line of a table could ever hold them, and then a few more of them, and an end.
    quoted: " Begins with a space and goes on for so long that no line of a table could ever hold it, and more."
    verse: |
      One: line
        and another
    # after the last key of the base
  - {<<: *base, id: merged, text: *words}
"""
FORMATTED = """\
# yaml-language-server: $schema=../../schemas/table-file.schema.json
# What this file holds, at such length that it cannot stay on one line of the width that all of the
# tables have. And more.
events:
  # ---- Small
  - {id: short, when: "turn == 1", source: [x.a]}  # beside a short one
  # beside
  - id: long
    when: "turn > 1 and any(units(kind='infantry'), 'is_tired')"
    text: "A text: with more."
    note: said
    source: [x.b]

  - &base
    id: base
    # inside
    steps: [{first: 1, second: "02"}, {first: 2, second: no}]
    text: &words >-
      Words that go on for so long that no line of a table could ever hold them, and then a few more
      of them, and an end.
    quoted: " Begins with a space and goes on for so long that no line of a table could ever hold
      it, and more."
    verse: |
      One: line
        and another
    # after the last key of the base
    note: why it is so
  - {<<: *base, id: merged, text: *words}
"""


def test_the_layout() -> None:
    text = WRITTEN.replace("text: Words", "text: &words Words")
    assert laid_out(text, "t.yaml") == FORMATTED
    assert laid_out(FORMATTED, "t.yaml") == FORMATTED


@pytest.mark.parametrize(
    ("text", "new"),
    [
        ("a: {b: , c: ''}", "a: {b: null, c: ''}\n"),
        ("{a: 1, # one\n b: 2}  # all", "a: 1  # one\nb: 2\n# all\n"),
        ("a:\n- 1\n- - 2\n  - x: 3\n    # end", "a:\n  - 1\n  - - 2\n    - x: 3\n      # end\n"),
        ("a:\n  - # head\n    b: 1\n\n\n\nc: 'on'\n\n", "a:\n  # head\n  - b: 1\n\nc: 'on'\n"),
        ("a: >-  # head\n  one\n  two\nb: |+\n  x\n\nc: 1", "# head\na: >-\n  one two\nb: |+\n  x\n\nc: 1\n"),
        (
            "a: [1,\n  2]\nb: 'it''s\n  so'\nc: one\n  # no comment inside\n",
            "a: [1, 2]\nb: 'it''s so'\nc: one\n# no comment inside\n",
        ),
        ("rows: [{b: &x 1, id: *x}]", "rows: [{b: &x 1, id: *x}]\n"),
        ("rows: [{b: 1, id: r, deep: {note: n, c: 2}}]", "rows: [{id: r, b: 1, deep: {note: n, c: 2}}]\n"),
        ("\ufeffa: 1\r\nb: 2\r\n", "a: 1\nb: 2\n"),
        ("a: 1 # x\n# y\nb: '#z'", "a: 1  # x\n# y\nb: '#z'\n"),
    ],
)
def test_small_layouts(text: str, new: str) -> None:
    text = text.removeprefix("\ufeff")
    assert laid_out(text, "t.yaml") == new
    assert laid_out(new, "t.yaml") == new


@pytest.mark.parametrize("text", ["a: !!str 1", "? {a: 1}\n: 2", "- a", "just words", "'':   1", ""])
def test_what_no_table_needs_is_left(text: str) -> None:
    with pytest.raises(CannotBeLaidOut):
        laid_out(text, "t.yaml")


def test_what_is_no_yaml_is_refused_at_its_place() -> None:
    with pytest.raises(UnreadableText) as refused:
        laid_out("a: {b: 1\nc: 2\n", "t.yaml")
    assert refused.value.at("t.yaml").line == 1


texts = st.one_of(
    st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=12),
    st.lists(
        st.sampled_from(
            ["word", "a: b", "#x", "- y", "= 1", "{z}", "", "'q'", '"', "on", "12", "\\", "x" * 60]
        ),
        max_size=30,
    ).map(" ".join),
    st.sampled_from(
        [
            "yes",
            "null",
            "1",
            "1.50",
            "2020-01-01",
            "~",
            "",
            "two\nlines",
            "end\n",
            "\n",
            " lead",
            "tab\there",
            "0o7",
            "a\n\nb\n\n",
            "a\n  b",
        ]
    ),
)
values = st.recursive(
    st.one_of(texts, st.integers(-(10**9), 10**9), st.booleans(), st.none()),
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(texts.filter(lambda t: 0 < len(t) < 40), inner, max_size=5)
    ),
    max_leaves=25,
)
rows = st.dictionaries(
    st.sampled_from(["id", "name", "note", "source", "when", "effects", "x y"]), values, min_size=1
)


def in_flow(value: Any, remarks: list[str]) -> str:
    """A value in flow, each member on a line of its own, with a comment behind it while there are any."""
    if isinstance(value, dict):
        members = [f"{json.dumps(k, ensure_ascii=False)}: {in_flow(v, remarks)}" for k, v in value.items()]
    elif isinstance(value, list):
        members = [in_flow(v, remarks) for v in value]
    else:
        return json.dumps(value, ensure_ascii=False)
    brackets = "{}" if isinstance(value, dict) else "[]"
    lines = [f" {member}, {'# ' + remarks.pop() if remarks else ''}\n" for member in members]
    return brackets[0] + "\n" + "".join(lines) + " " + brackets[1]


def test_a_comment_behind_a_text_with_a_hash_stays() -> None:
    text = """rows:\n  - {" #": a, name: "b # c"}  # why\n"""
    assert "# why" in laid_out(text, "t.yaml")


@settings(max_examples=150, deadline=None)
@given(
    st.lists(rows, min_size=1, max_size=4),
    st.lists(st.sampled_from(["why", "so it is (a -> b)", "long " * 40]), max_size=6),
    st.data(),
)
def test_any_rows(table: list[dict[str, Any]], remarks: list[str], data: st.DataObject) -> None:
    whole = {"rows": table, "one": table[0]}
    if data.draw(st.booleans()):
        text = "# first\n" + in_flow(whole, remarks) + "  # last\n"
    else:
        flow = data.draw(st.sampled_from([None, True, False]))
        width = data.draw(st.sampled_from([40, 80, 10_000]))
        text = "# first\n" + yaml.safe_dump(
            whole, default_flow_style=flow, width=width, allow_unicode=True, sort_keys=False
        )
    new = laid_out(text, "t.yaml")
    assert value(new) == value(text)
    assert sorted(comment_words(new)) == sorted(comment_words(text))
    assert laid_out(new, "t.yaml") == new


def wteaw(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as left:
        main([str(a) for a in arguments])
    out, err = capsys.readouterr()
    return int(left.value.code or 0), out, err


def test_check_names_files_and_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad, hidden = tmp_path / "good.yaml", tmp_path / "deep" / "bad.yml", tmp_path / ".kept" / "x.yaml"
    for file in (bad, hidden):
        file.parent.mkdir()
        file.write_text("a:   1\n")
    good.write_text("a: 1\n")
    code, out, _ = wteaw(capsys, "format", "--check", tmp_path)
    assert (
        code == 1
        and f"{bad}: not in the layout" in out
        and "2 files, 1 to be written" in out
        and "good" not in out
    )
    assert bad.read_text() == "a:   1\n"
    code, out, _ = wteaw(capsys, "format", tmp_path)
    assert code == 0 and "2 files, 1 written" in out
    assert bad.read_text() == "a: 1\n" and hidden.read_text() == "a:   1\n"
    assert wteaw(capsys, "format", "--check", bad, good)[0] == 0


def test_a_file_at_fault_is_told_and_the_others_are_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, text in {"a.yaml": "a: {b\nc: 1\n", "b.yaml": "a: !x 1\n", "c.yaml": "a:   1\n"}.items():
        (tmp_path / name).write_text(text)
    code, out, _ = wteaw(capsys, "format", tmp_path)
    assert code == 1 and f"{tmp_path}/a.yaml:" in out and "left as it is: the tag '!x' on line 1" in out
    assert [(tmp_path / f"{n}.yaml").read_text() for n in "abc"] == ["a: {b\nc: 1\n", "a: !x 1\n", "a: 1\n"]
    code, _, err = wteaw(capsys, "format", tmp_path / "nowhere")
    assert code == 2 and "does not exist" in err
