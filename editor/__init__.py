"""A ruleset while somebody edits it: findings as one types, and what stands under the cursor.

`project` keeps one ruleset as its files stand in an editor and checks what has changed; `cursor` says what is
at a line and column; `answers` are completion, hover and definition; `rename` finds every use of an id and
gives it another; `lenses` are the rule tests of a row. Nothing here knows the protocol of an editor:
`editor/server.py` does.
"""
