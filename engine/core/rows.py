"""Rows of tables, as mechanics are given them: mappings whose keys mypy knows by the table they stand in.

The types (`UnitRow`, `ActionRow`, ...) stand in `rows.pyi`, made from the schemas by `python -m
wteaw.ruleset.row_types`; at run time each is a plain mapping. `Row` is a row of any table.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Row = Mapping[str, Any]
_NO_ROWS: Mapping[str, Row] = {}
_NO_ROW: Row = {}


class Tables:
    """The tables of a ruleset by name: id to row, in the order of the files."""

    forms: Mapping[str, Mapping[str, Row]]

    def rows(self, form: str) -> Mapping[str, Row]:
        """All rows of a table by id; empty if the ruleset has none."""
        return self.forms.get(form, _NO_ROWS)

    def row(self, form: str, id_: str) -> Row:
        """One row; KeyError with table and id if there is none."""
        try:
            return self.forms[form][id_]
        except KeyError:
            raise KeyError(f"no row {id_!r} in {form}") from None

    def row_or_empty(self, form: str, id_: str | None) -> Row:
        """One row, or one without keys if there is none."""
        return self.forms.get(form, _NO_ROWS).get(id_ or "", _NO_ROW)


def __getattr__(name: str) -> Any:
    if name.endswith("Row"):
        return Row
    raise AttributeError(name)
