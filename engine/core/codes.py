"""The codes of all findings and what each means. Codes are stable; `docs/diagnostics.md` is made from this
table.

E1: reading text · E2: shape and overlay · E3: expressions · 4: rows and references · 5: the map · 6: rules ·
7: silences.
"""

from __future__ import annotations

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
    "E122": "The ruleset is written in a format that this version does not read.",
    "W121": "A YAML file stands where no tables are read from.",
    "E201": "A file holds a table that there is no schema for.",
    "E202": "A table holds something other than a list of rows.",
    "E203": "A row is not a map.",
    "E204": "A row has no id, or an id that is not a word.",
    "E205": "Two rows of one table have the same id.",
    "E206": "A key that the schema does not know.",
    "E207": "A key that the schema requires is missing.",
    "E208": "A value of the wrong kind, such as text for a number.",
    "E209": "A value that the schema does not allow.",
    "E210": "A key that the schema does not allow in this map.",
    "E211": "A trigger is waited for with a role that it does not have.",
    "E212": "A range whose upper end comes first.",
    "E213": "A key that means nothing, or stops a turn, without another one.",
    "E214": "A face that the dice of its roll do not have, or ranges that overlap.",
    "E215": "A table whose cells are not of one kind or not under the same number of keys, or whose bands "
    "leave a number out.",
    "E221": "An overlay removes, replaces, appends to or goes beside something that is not there.",
    "E222": "A removed row says something more.",
    "E223": "A key is both given again and appended to or removed.",
    "E224": "`append` of a list to a map, a map to a list, or to a single value.",
    "E225": "A ruleset states the sequence twice.",
    "E226": "A change of the sequence that cannot be made.",
    "E301": "An expression that cannot be read.",
    "E302": "An expression uses a name that is not in scope.",
    "E303": "An expression uses a function or definition that does not exist.",
    "E304": "An expression reads a field that the kind does not have.",
    "E305": "An expression names an id that no table has.",
    "E306": "An expression has a value of the wrong kind inside.",
    "E307": "An expression gives another kind of value than the place needs.",
    "E308": "An expression calls a function with the wrong arguments.",
    "E309": "An expression in a battle that cannot be computed over the living of both sides.",
    "E320": "A verdict that cannot be judged, or whose things depend on one; or a step settles what is none.",
    "E401": "A reference to a row that does not exist.",
    "E402": "A key of a row is neither the table's own nor a declared field.",
    "E403": "The value of a declared field has the wrong type.",
    "E404": "A group has a member that does not exist.",
    "E405": "Definitions, stats or battles lead back to themselves.",
    "E406": "A group has the same member twice.",
    "E407": "A word that names nothing that may stand there.",
    "E408": "A scenario names a ruleset that does not exist.",
    "E409": "A scenario's ruleset has errors of its own.",
    "E410": "There is no such scenario to extend, or scenarios extend one another in a ring.",
    "E411": "A scenario puts works between places that have no border.",
    "E412": "A scenario lets a nation place more of its units than the rules leave it.",
    "E413": "A scenario gives an option a value that it does not have.",
    "E414": "A scenario does not say what a nation begins with that the ruleset wants to be said (`given` "
    "of the settings).",
    "W420": "A clause is cited that is not in the register (the table `clauses`).",
    "E501": "A link from a place to itself.",
    "W502": "A place that no link leads to or from.",
    "W503": "A place that nobody can reach.",
    "W504": "A place that can be entered and never left, because of one-way links.",
    "E505": "A passage between two places that are not linked.",
    "W506": "A key of a passage that is neither an end of it nor next to one.",
    "W508": "The printed list of one end of a link names the other (`listed`), but not the other way round.",
    "W509": "The printed list of links (`listed`) gives a place another section than its own.",
    "E510": "What printed lists say of a link (`listed`) names a place that is none of its ends.",
    "E511": "A file of the folder `map` that no map can be drawn with.",
    "W601": "An event that can never fire.",
    "W602": "An order or action that no step of the sequence takes, or a row that none goes through.",
    "W603": "A kind of unit that nobody can get.",
    "W604": "A definition, table, option, tag or other helper that nothing uses, or a kind of the map that "
    "no rule names.",
    "E605": "A row names a step that the sequence does not have.",
    "E606": "A step of the sequence that does nothing, or a sequence that never waits for orders.",
    "W607": "No row of `visibility`: players are shown nothing.",
    "W608": "No place has a position on the map.",
    "W609": "A flag that is set, and nothing asks for it.",
    "W610": "A flag that is asked for, and nothing sets it.",
    "W611": "Two things of a kind with one name, or two orders that are written alike: an order cannot tell "
    "them apart.",
    "W612": "A number that some units have and one has not, of a field without a default.",
    "W613": "A condition, or a part of one, that always holds, or never.",
    "W614": "A table without a cell for a word that it may be asked for.",
    "W615": "A word that a field is compared with, and that nothing puts there, though nearly.",
    "W616": "Results of a throw that leave out faces between others.",
    "W617": "What an event says is told though none of its cases holds.",
    "W618": "A case, or a row of a matrix, that is never come to, for one before it takes all.",
    "W619": "Technologies that need one another in a ring, so that nobody can ever begin one.",
    "W620": "A figure under which a die is thrown in battle that is above the die, or a part of a face.",
    "W621": "An order that nobody is ever asked for, or turns that ask nobody for orders.",
    "W622": "A card that no pile ever holds, or a pile that cards never come into, or never leave.",
    "W623": "A pile that an order chooses from, and that nobody is shown.",
    "W624": "A word in an expression, a kind of the map, a tag or a text of a row that stands nowhere else, "
    "and is nearly one that does.",
    "W625": "A technology that nobody can ever learn.",
    "W701": "A silence that silences nothing.",
    "E702": "A silence of a code that does not exist, or of an error.",
}


PAGES: dict[str, str] = {
    "E1 W1": "overlays.md",
    "E120 E122": "made/file-manifest.md",
    "E2": "made/tables.md",
    "E211": "made/triggers.md",
    "E212 E214 W616": "made/shared.md#ref-shared-roll",
    "E215 W614": "made/table-tables.md",
    "E22": "overlays.md",
    "E3": "made/expressions.md",
    "E309": "concepts/battles.md",
    "E320": "made/table-definitions.md",
    "E401 E407": "made/tables.md",
    "E402 E403 W612 W615": "made/table-fields.md",
    "E404 E406": "made/table-groups.md",
    "E405": "made/table-definitions.md",
    "E408 E409 E410 E411 E412 E414": "made/file-scenario.md",
    "E413": "made/table-options.md",
    "W420": "made/table-clauses.md",
    "E501 W502 W503 W504": "made/table-links.md",
    "E505 W506": "made/table-passages.md",
    "W508 W509 E510": "made/table-links.md",
    "E511": "made/file-map-layout.md",
    "W601 W617": "made/table-events.md",
    "W602 E605 E606": "made/table-sequence.md",
    "W603": "made/table-production.md",
    "W6": "made/tables.md",
    "W607": "made/table-visibility.md",
    "W608": "made/table-places.md",
    "W609 W610": "made/effects.md#ref-effect-flag",
    "W611": "orders.md",
    "W613": "made/expressions.md",
    "W624": "made/expressions.md",
    "W619 W625": "made/table-technologies.md",
    "W622 W623": "made/table-piles.md",
    "W618": "made/shared.md#ref-shared-cases",
    "W701 E702": "diagnostics.md",
}
"""What codes are about: codes, or what codes begin with -> the page of the documentation that tells of it
(below `docs/`).
"""


ORDER_CODES: dict[str, str] = {
    "O101": "No order begins like this.",
    "O102": "Something else is expected at this place of an order.",
    "O103": "A name that is not known, or not of the kind that is expected.",
    "O104": "A name or an order that could mean several things.",
    "O105": "A line that is too long, or has too many ways to be read.",
    "O106": "An option after the colon that is not understood.",
    "O107": "A line that only a guess makes an order, and too grave to be guessed: it is asked back.",
    "O111": "The head names another game, nation or turn; none of the orders are taken.",
    "O113": "What the rules do not allow in any wording, such as a condition where none may stand.",
    "O112": "A head that cannot be read.",
    "O201": "The order is not open to the nation, or not now.",
    "O202": "A condition of the order does not hold.",
    "O203": "The order has been given as often as it may.",
    "O204": "It costs more than there is.",
    "O205": "More units are ordered than there are, or units are ordered twice.",
    "O206": "Units cannot go there, or not in this way.",
    "O207": "An option that the order may not carry.",
    "O208": "A number is too small or too large.",
    "O209": "Something named is not among what may be chosen.",
    "O210": "It cannot be built there.",
    "O212": "The orders together leave a requirement of the turn unfulfilled; none of them is taken.",
    "O211": "The same order stands twice where it may stand once.",
    "O301": "The means may not suffice: they come in only later in the turn.",
    "O302": "A passage is closed as things stand.",
    "O303": "A name was read with forgiveness.",
    "O304": "Units have no order and a duty stays undone.",
    "O306": "The order can be carried out only if an earlier one of the same file succeeds, by its dice or "
    "the votes of others.",
    "O308": "The order can be carried out only if an earlier one of the same file fails, by its dice or "
    "the votes of others.",
    "O307": "The answer, or the order, may be given, but as things stand it comes to what few want, or to "
    "nothing.",
    "O305": "The attack begins a war that has not been declared.",
    "O401": "A question, which is answered and orders nothing.",
}
"""The codes of findings in orders. O1: not understood · O2: understood but not allowed · O3: allowed, with a
warning · O4: notes.
"""


def page(code: str) -> str:
    """The page that a finding's reader is sent to; of entries that fit the longest counts."""
    found = []
    for heads, where in PAGES.items():
        for head in heads.split():
            if code.startswith(head):
                found.append((len(head), where))
    return max(found)[1]


def table() -> str:
    """The codes as the table of `docs/diagnostics.md`."""
    rows = "\n".join(
        f"| `{code}` | {meaning} | [example](made/findings.md#{code.lower()}), [more]({page(code)}) |"
        for code, meaning in CODES.items()
    )
    return f"| code | meaning | |\n| --- | --- | --- |\n{rows}\n"
