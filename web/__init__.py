"""The desk: games in a browser and by mail, on a database that many share.

It stands on the functions that the command line stands on: no rule, no secret and no check of its own. `app`
has the addresses,
`web` what every request goes through, `people` who may do what, `hall` the games, and one module the pages of
each kind of user. Only `web/command` imports it; what it needs beyond the engine comes with the extra `desk`.
"""
