"""The codes of all findings and what each means. Codes are stable; `docs/diagnostics.md` is made from this table.

E1: reading text · E2: shape and overlay · E3: expressions · 4: facts and references · 5: the map · 6: rules · 7: silences.
"""

from __future__ import annotations

__all__ = ["CODES", "table"]

CODES: dict[str, str] = {
    "E101": "The file cannot be read, or is not a regular file.",
    "E102": "The file, or the ruleset, is too large.",
    "E103": "The file is not UTF-8; the offset of the first wrong byte is given.",
    "E104": "A control character (such as a NUL byte) stands in the text.",
    "E105": "A tab stands in the indentation. YAML indents with spaces.",
    "E106": "The text is not readable as YAML at this place.",
    "E107": "The file is empty.",
    "E108": "The file holds a list or a single value instead of a map.",
    "E109": "The file holds a second YAML document (`---`).",
    "E110": "A key is given twice in one map.",
    "E111": "A key is empty, a list, a map or an alias.",
    "E112": "A tag (`!word`) is used; values are plain.",
    "E113": "An alias names nothing, contains itself, or aliases repeat too many values.",
    "E114": "The merge key `<<` is given something that is not a map.",
    "E115": "Lists and maps are nested too deep.",
    "E116": "A number that cannot be held exactly: infinite, or of too many digits.",
    "E117": "A link or path leads out of the folders that the ruleset may read.",
    "E118": "`extends` does not lead to a ruleset.",
    "E119": "Rulesets extend one another in a ring, or too many layers lie on one another.",
    "E120": "The folder has no `ruleset.yaml`.",
    "W121": "A YAML file stands where no tables are read from.",
    "E201": "A file holds a form that there is no schema for.",
    "E202": "A form holds something other than a list of rows.",
    "E203": "A row is not a map.",
    "E204": "A row has no id, or an id that is not a word.",
    "E205": "Two rows of one form have the same id.",
    "E206": "A key that the schema does not know.",
    "E207": "A key that the schema requires is missing.",
    "E208": "A value of the wrong kind, such as text for a number.",
    "E209": "A value that the schema does not allow.",
    "E210": "A key that the schema does not allow in this map.",
    "E221": "An overlay removes or appends to something that is not below.",
    "E222": "A removed row says something more.",
    "E223": "A key is both given again and appended to or removed.",
    "E224": "`append` of a list to a map, a map to a list, or to a single value.",
    "E225": "A ruleset states the frame twice.",
    "E226": "A change of the frame that cannot be made.",
    "E301": "An expression that cannot be read.",
    "E302": "An expression uses a name that is not in scope.",
    "E303": "An expression uses a function or term that does not exist.",
    "E304": "An expression reads a field that the kind does not have.",
    "E305": "An expression names an id that no table has.",
    "E306": "An expression has a value of the wrong kind inside.",
    "E307": "An expression gives another kind of value than the place needs.",
    "E308": "An expression calls a function with the wrong arguments.",
    "E401": "A reference to a row that does not exist.",
    "E402": "A key of a row is neither the form's own nor a declared field.",
    "E403": "The value of a declared field has the wrong type.",
    "E404": "A group has a member that does not exist.",
    "E405": "Terms lead back to themselves.",
    "E406": "A group has the same member twice.",
    "E408": "A scenario names a ruleset that does not exist.",
    "E409": "A scenario's ruleset has errors of its own.",
    "E410": "There is no such scenario to extend, or scenarios extend one another in a ring.",
    "E411": "A scenario puts works between places that have no border.",
    "E501": "A link from a place to itself.",
    "W502": "A place that no link leads to or from.",
    "W503": "A place that nobody can reach.",
    "W504": "A place that can be entered and never left, because of one-way links.",
    "E505": "A gate between two places that are not linked.",
    "W506": "A key of a gate that is neither an end of it nor next to one.",
    "E507": "A link that names a gate between other places.",
    "W508": "A list of links names a place whose own list does not name it in return.",
    "W509": "A list of links gives a place another section than its own.",
    "E510": "A list of links names a place that no link leads to.",
    "W601": "An event that can never fire.",
    "W602": "An order or act that no step of the frame takes.",
    "W603": "A kind of unit that nobody can get.",
    "W604": "A term, table, group or quantity that nothing uses.",
    "E605": "A row names a step that the frame does not have.",
    "W701": "A silence that silences nothing.",
    "E702": "A silence of a code that does not exist, or of an error.",
}


def table() -> str:
    """The codes as the table of `docs/diagnostics.md`."""
    rows = "\n".join(f"| `{code}` | {meaning} |" for code, meaning in CODES.items())
    return f"| code | meaning |\n| --- | --- |\n{rows}\n"
