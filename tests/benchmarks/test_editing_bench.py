"""An edit of the base ruleset in an editor, from the new text of a file to the findings of all files."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from wteaw.core.package_data import rulesets
from wteaw_editor.project import Project

FILE = "tables/battles.yaml"
EDITS: dict[str, Callable[[str], str]] = {
    "a comment": lambda text: text + "\n# a note\n",
    "a number": lambda text: re.sub(
        r"(: )(\d+)(?=[,}\n])", lambda m: m[1] + str(int(m[2]) + 1), text, count=1
    ),
    "a word that is not known": lambda text: text.replace("name: ", "nmae: ", 1),
    "a row that is begun": lambda text: text + "\n  - {id: a-new-one}\n",
    "an open bracket": lambda text: text.replace("{", "{{", 1),
    "a row under another id": lambda text: re.sub(r"\bid: [a-z-]+", "id: quite-another", text, count=1),
}
"""What is typed. The last alters what other rows name, so the whole ruleset is asked again."""


@pytest.fixture(scope="module")
def project() -> Project:
    found = Project(rulesets())
    assert found.found == []
    return found


@pytest.mark.parametrize("what", EDITS)
def test_an_edit_is_answered(what: str, project: Project, benchmark: Any) -> None:
    path = project.path(FILE)
    text = path.read_text(encoding="utf-8")
    changed = EDITS[what](text)
    assert changed != text

    def back() -> None:
        project.set_text(path, text.encode())

    found = benchmark.pedantic(lambda: project.set_text(path, changed.encode()), setup=back, rounds=5)
    assert bool(found) == (what not in ("a comment", "a number"))
    back()
    assert project.found == []
