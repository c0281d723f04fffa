"""Game files of TripleA (XML) turned into rulesets of ours.

`document` reads the XML under guard, `game` makes facts of it and tests every reference, `words` is the table
of what attachments mean; `board`, `forces`, `purchases`, `powers`, `conditions`, `happenings` and
`technology` write rows, `render` the rules that all such games share; `folder` looks whether it all holds
together, and leaves it whole or not at all.
"""
