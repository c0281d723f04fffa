"""The codes of findings in orders. Codes are stable, like those of rulesets.

O1: not understood (invalid) · O2: understood but not allowed (illegal) · O3: allowed, with a warning · O4:
notes.
"""

from __future__ import annotations

CODES: dict[str, str] = {
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
