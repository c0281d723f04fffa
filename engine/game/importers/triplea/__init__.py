"""Game files of TripleA (XML) turned into rulesets of ours.

`document` reads the XML under guard, `game` makes facts of it and tests every reference, `words` is the table of what attachments
mean; `board`, `forces`, `purchases`, `powers`, `conditions`, `happenings` and `research` write rows, and `folder` puts them into
a folder, looks whether it holds together and leaves it whole or not at all.
"""
