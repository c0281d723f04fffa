"""The tables of a games database, in portable SQL through SQLAlchemy Core.

Rulesets and states are kept once under their hash; positions, inputs and journal entries belong to a game.
Texts in JSON are canonical, so that what is stored can be hashed again.
"""

from __future__ import annotations

from sqlalchemy import Boolean, Column, ForeignKey, Integer, LargeBinary, MetaData, String, Table, Text

metadata = MetaData()

rulesets = Table(
    "rulesets",
    metadata,
    Column("hash", String(64), primary_key=True),
    Column("content", LargeBinary, nullable=False),
)

states = Table(
    "states",
    metadata,
    Column("hash", String(64), primary_key=True),
    Column("content", LargeBinary, nullable=False),
)

games = Table(
    "games",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("title", String(200), nullable=False),
    Column("ruleset", String(64), ForeignKey("rulesets.hash"), nullable=False),
    Column("scenario", Text, nullable=False),
    Column("game_start", String(64), ForeignKey("states.hash"), nullable=False),
    Column("seed", String(128), nullable=False),
    Column("length", Integer, nullable=False),
    Column("anchor", String(64), nullable=False),
    Column("drawing", LargeBinary, nullable=False),
)

positions = Table(
    "positions",
    metadata,
    Column("game", String(64), ForeignKey("games.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("turn", Integer, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("state", String(64), ForeignKey("states.hash"), nullable=False),
    Column("turn_start", String(64), ForeignKey("states.hash"), nullable=False),
    Column("phase_start", String(64), ForeignKey("states.hash"), nullable=False),
    Column("head", String(64), nullable=False),
    Column("entries", Integer, nullable=False),
    Column("dice", Text, nullable=False),  # marks, dice_turn, the masked salts and the mix
    Column("waiting", Text, nullable=False),
    Column("commitment", Text, nullable=False),
)

inputs = Table(
    "inputs",
    metadata,
    Column("game", String(64), ForeignKey("games.id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("nation", String(64), primary_key=True),
    Column("text", Text, nullable=False),
    Column("orders", Text, nullable=False),
    Column("answers", Text, nullable=False),
    Column("by", String(16), nullable=False),  # player, policy or moderator
)

entries = Table(
    "entries",
    metadata,
    Column("game", String(64), ForeignKey("games.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("position", Integer, nullable=False, index=True),  # the position that the entry led to
    Column("turn", Integer, nullable=False),
    Column("body", Text, nullable=False),
)

handins = Table(  # everything that has come in, in order: what counts stands in `inputs`
    "handins",
    metadata,
    Column("game", String(64), ForeignKey("games.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("position", Integer, nullable=False),
    Column("nation", String(64), nullable=False),
    Column("text", Text, nullable=False),
    Column("orders", Text, nullable=False),
    Column("answers", Text, nullable=False),
    Column("by", String(16), nullable=False),
    Column("at", String(32), nullable=False),  # UTC, ISO 8601
)

salts = Table(  # a player's share in a turn's dice: fixed by the first file that comes in for the turn
    "salts",
    metadata,
    Column("game", String(64), ForeignKey("games.id"), primary_key=True),
    Column("turn", Integer, primary_key=True),
    Column("nation", String(64), primary_key=True),
    Column("salt", String(64), nullable=False),
)

turns = Table(  # the dice of a turn: how often it was given fresh ones, and what of them is known
    "turns",
    metadata,
    Column("game", String(64), ForeignKey("games.id"), primary_key=True),
    Column("turn", Integer, primary_key=True),
    Column("attempt", Integer, nullable=False),  # the last one; numbers are never used again
    Column("opened", Boolean, nullable=False),  # whether keys of that attempt have been handed out
    Column("closed", Integer, nullable=False),  # the position whose orders are closed, 0 for none
    Column("salts", Text, nullable=False),  # the masked salts of that attempt, as published; empty until then
)

seat_keys = Table(  # who may order for a nation: a secret that only its hash is kept of
    "seat_keys",
    metadata,
    Column("game", String(64), ForeignKey("games.id"), primary_key=True),
    Column("nation", String(64), primary_key=True),
    Column("hash", String(64), nullable=False),
)

corrections = Table(
    "corrections",
    metadata,
    Column("game", String(64), ForeignKey("games.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("what", String(16), nullable=False),  # rollback, decide or upgrade
    Column("body", Text, nullable=False),
)

# answers that the moderator gives for others at a stage, or to what the rules leave to the moderator
decided = Table(
    "decided",
    metadata,
    Column("game", String(64), ForeignKey("games.id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("nation", String(64), primary_key=True),
    Column("decision", String(200), primary_key=True),
    Column("answer", Text, nullable=False),
)

seats = Table(  # who has been given a position at a stage; the next resolution writes it into the state
    "seats",
    metadata,
    Column("game", String(64), ForeignKey("games.id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("nation", String(64), primary_key=True),
    Column("seat", String(64), nullable=False),
)

pool = Table(  # those who wait for a position, and what becomes of them
    "pool",
    metadata,
    Column("game", String(64), ForeignKey("games.id"), primary_key=True),
    Column("name", String(100), primary_key=True),
    Column("number", Integer, nullable=False),
    Column("email", String(200), nullable=False),
    Column("side", String(64), nullable=False),
    # the position that was proposed or given; empty while waiting
    Column("nation", String(64), nullable=False),
    Column("status", String(16), nullable=False),  # waiting, proposed, agreed or seated
)

# every row that was written to the tables of a game, in order: a chain, whose head goes into commitments
ledger = Table(
    "ledger",
    metadata,
    Column("game", String(64), ForeignKey("games.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("what", String(200), nullable=False),  # the table and the row's key
    # the digest of all its columns; empty for a row that was taken away
    Column("row", String(64), nullable=False),
    Column("head", String(64), nullable=False),  # the digest of this line and the head before
)
