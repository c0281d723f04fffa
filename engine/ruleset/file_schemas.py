"""The schemas of whole files, which editors read, made from the forms that are there.

`schemas/table-file.schema.json` is for the files under `tables/` and `events/`,
`schemas/overlay-file.schema.json` for those of a ruleset that extends another, where a row may state only
what differs. Run `python -m wteaw.ruleset.file_schemas` after adding or removing a form; a test tells when
that was forgotten.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..core.package_data import schemas
from .forms import Forms, forms
from .overlay import FRAME

DRAFT = "http://json-schema.org/draft-07/schema#"


def table_file(known: Forms) -> dict[str, Any]:
    """A file of rows: a map from form to a list of rows of that form."""
    rows = {form: _list(known, form, {"$ref": f"{form}.schema.json"}) for form in known.names}
    return _file("A file of tables or events: form to rows. Several forms may share a file.", rows)


def overlay_file(known: Forms) -> dict[str, Any]:
    """The same for an overlay: no key but the id is required, since a row given again names only what
    differs.
    """
    rows = {
        form: _list(
            known,
            form,
            _partial(known, form),
        )
        for form in known.names
    }
    return _file(
        "A file of an overlay: rows that are new, and the differences of rows that are inherited.", rows
    )


def file_schemas(known: Forms) -> dict[str, str]:
    """File name to text of all that is made here."""
    made = {"table-file.schema.json": table_file(known), "overlay-file.schema.json": overlay_file(known)}
    return {name: json.dumps(schema, indent=2, ensure_ascii=False) + "\n" for name, schema in made.items()}


def write(folder: Path | None = None) -> None:
    """Write the files into the schemas folder."""
    for name, text in file_schemas(forms(folder)).items():
        ((folder or schemas()) / name).write_text(text, encoding="utf-8")


def _file(description: str, rows: dict[str, Any]) -> dict[str, Any]:
    return {
        "$schema": DRAFT,
        "title": "file",
        "description": f"{description} Made by `python -m wteaw.ruleset.file_schemas`; do not edit.",
        "type": "object",
        "additionalProperties": False,
        "properties": rows,
    }


def _list(known: Forms, form: str, row: dict[str, Any]) -> dict[str, Any]:
    return {"description": known.schema(form).get("description", ""), "type": ["array", "null"], "items": row}


def _partial(known: Forms, form: str) -> dict[str, Any]:
    """A row of a form with only its id required; its keys are those of the form."""
    schema = known.schema(form)
    keys = {key: {"$ref": f"{form}.schema.json#/properties/{key}"} for key in schema["properties"]}
    return {
        "type": "object",
        "required": [] if form == FRAME else ["id" if known.has_id(form) else "between"],
        "additionalProperties": schema.get("additionalProperties", True),
        "properties": keys,
    }


if __name__ == "__main__":
    write()
