"""The tables that a server keeps beside those of its games: who may enter, what was sent, when orders are
due, what was done.

Times are UTC, ISO 8601 to the second, so that they sort as text. Of links and of browsers only hashes are
kept.
"""

from __future__ import annotations

from sqlalchemy import Boolean, Column, ForeignKey, Integer, MetaData, String, Table, Text

metadata = MetaData()

HASH, ID, NAME, TIME = String(64), String(24), String(120), String(32)

roles = Table(  # what one person may be at one game; an empty game is the server as a whole
    "desk_roles",
    metadata,
    Column("id", ID, primary_key=True),
    Column("game", String(64), nullable=False, index=True),
    Column("role", String(16), nullable=False),  # host, moderator, player or spectator
    Column("nation", String(64), nullable=False),
    Column("name", NAME, nullable=False),
    Column("email", String(200), nullable=False, index=True),
    Column("post", ID, nullable=False, unique=True),  # stands in the address to which its mails are answered
    Column("made", TIME, nullable=False),
    Column("ended", TIME, nullable=False),
)

links = Table(  # links that lead in once
    "desk_links",
    metadata,
    Column("hash", HASH, primary_key=True),
    Column("role", ID, ForeignKey("desk_roles.id"), nullable=False),
    Column("made", TIME, nullable=False),
    Column("expires", TIME, nullable=False),
    Column("used", TIME, nullable=False),
)

browsers = Table(  # a browser that has come in; its cookie is kept as a hash
    "desk_browsers",
    metadata,
    Column("id", ID, primary_key=True),
    Column("hash", HASH, nullable=False, unique=True),
    Column("made", TIME, nullable=False),
    Column("agent", NAME, nullable=False),
)

sessions = Table(  # a role that a browser has taken up
    "desk_sessions",
    metadata,
    Column("id", ID, primary_key=True),
    Column("browser", ID, ForeignKey("desk_browsers.id"), nullable=False),
    Column("role", ID, ForeignKey("desk_roles.id"), nullable=False, index=True),
    Column("made", TIME, nullable=False),
    Column("seen", TIME, nullable=False),
    Column("ended", TIME, nullable=False),
)

settings = Table(  # how a game is run
    "desk_settings",
    metadata,
    Column("game", String(64), primary_key=True),
    Column("due", TIME, nullable=False),  # when orders are due; empty for no deadline
    # the days of a turn, from which the next deadline follows; 0 for none
    Column("days", Integer, nullable=False),
    Column("paused", Boolean, nullable=False),
    Column(
        "auto", String(16), nullable=False
    ),  # what is done at the deadline without being asked: nothing, close, resolve or send
    Column("remind", Integer, nullable=False),  # hours before the deadline; 0 for never
    Column("public", Boolean, nullable=False),  # whether common news are open to everybody
    Column("made", TIME, nullable=False),
    Column(
        "talk", String(60), nullable=False, server_default="public private"
    ),  # how players may write to each other (`messages`)
    # whether a turn is resolved as soon as all players are ready
    Column("early", Boolean, nullable=False, server_default="0"),
    # hours for orders at a point of the turn: `retreats 24 builds 24`
    Column("spans", Text, nullable=False, server_default=""),
    # the time zone in which deadlines are written
    Column("zone", String(60), nullable=False, server_default="UTC"),
    # days on which no orders are due (`deadlines`)
    Column("off", Text, nullable=False, server_default=""),
)

# positions that players may know of: what was resolved is theirs when the moderator has sent it
releases = Table(
    "desk_releases",
    metadata,
    Column("game", String(64), primary_key=True),
    Column("stage", Integer, primary_key=True),
    Column("head", HASH, primary_key=True),
    Column("at", TIME, nullable=False),
)

drafts = Table(  # orders that are being written
    "desk_drafts",
    metadata,
    Column("game", String(64), primary_key=True),
    Column("nation", String(64), primary_key=True),
    Column("stage", Integer, nullable=False),
    Column("text", Text, nullable=False),
    Column("at", TIME, nullable=False),
    # marks of the warnings that were silenced, with spaces between
    Column("meant", Text, nullable=False, server_default=""),
)

outbox = Table(  # mails to be sent and such as were
    "desk_outbox",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    # what the mail is about: the same is never queued twice
    Column("key", String(200), nullable=False, unique=True),
    Column("game", String(64), nullable=False),
    Column("role", ID, nullable=False),
    Column("recipient", String(200), nullable=False),
    Column("subject", String(300), nullable=False),
    Column("text", Text, nullable=False),
    Column("html", Text, nullable=False),
    Column("reply", String(300), nullable=False),
    Column("made", TIME, nullable=False),
    Column("next", TIME, nullable=False),  # when it is tried again
    Column("tries", Integer, nullable=False),
    Column("sent", TIME, nullable=False),
    Column("fault", Text, nullable=False),
)

inbox = Table(  # mails that have come in, each taken once
    "desk_inbox",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("key", HASH, nullable=False, unique=True),  # a hash of what makes the mail itself
    Column("game", String(64), nullable=False),
    Column("role", ID, nullable=False),
    Column("sender", String(200), nullable=False),
    Column("subject", String(300), nullable=False),
    Column("at", TIME, nullable=False),
    # taken, not taken, stranger, ignored, or where its reading has begun
    Column("verdict", String(16), nullable=False),
    Column("says", Text, nullable=False),
)

log = Table(  # what was done at the server; every line holds the digest of the line before
    "desk_log",
    metadata,
    Column("game", String(64), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("at", TIME, nullable=False),
    Column("who", NAME, nullable=False),
    Column("what", Text, nullable=False),
    Column("digest", HASH, nullable=False),
)

messages = Table(  # what the moderator and players wrote
    "desk_messages",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("game", String(64), nullable=False, index=True),
    Column("at", TIME, nullable=False),
    Column("nation", String(64), nullable=False),  # who wrote it: a nation, or `moderator`
    Column("to", Text, nullable=False),  # nations, `moderator` or `*`, with spaces between
    Column("unsigned", Boolean, nullable=False),
    Column("text", Text, nullable=False),
)

ready = Table(  # players who have nothing to add to the orders of a stage
    "desk_ready",
    metadata,
    Column("game", String(64), primary_key=True),
    Column("stage", Integer, primary_key=True),
    Column("head", HASH, primary_key=True),
    Column("nation", String(64), primary_key=True),
    Column("at", TIME, nullable=False),
)

CHAINED: tuple[Table, ...] = (settings, releases, log, messages)
"""Tables whose rows stand in the chain of their game (`store/ledger`): `wteaw verify` and the page of what
was done look at them.
"""
WEIGHTLESS: dict[str, str] = {
    roles.name: "who may come in from now on: whose orders were taken stands in seats and hand-ins",
    links.name: "who may come in from now on; that a link was used is mailed to its owner",
    browsers.name: "which browser is known from now on",
    sessions.name: "which browser may act from now on; what it did stands in the hand-ins and the log",
    drafts.name: "orders that nobody has sent; what was sent stands in the hand-ins",
    outbox.name: "how mails are delivered: what reports say is made from the game, messages have a table of "
    "their own",
    inbox.name: "that no mail is taken twice; orders that came by mail stand in the hand-ins, each mail in "
    "the log",
    ready.name: "whom a stage that is open waits for; when it was resolved stands in the log",
}
"""The others, on which no report, no die and no history draws, each with the reason."""
