"""The server: games in a browser and by mail, on a database that many share.

It uses the functions that the command line uses: no rule, no secret and no check of its own. `app` has the
addresses, `web` what every request goes through, `accounts` who may do what, `games` the games, and one
module the pages of each kind of user. Only `web/command` imports it; what it needs beyond the engine comes
with the extra `server`.
"""
