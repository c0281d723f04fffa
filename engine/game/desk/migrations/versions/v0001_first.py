"""The first version: games, and the desk round them."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "rulesets",
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("hash"),
    )
    op.create_table(
        "states",
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("hash"),
    )
    op.create_table(
        "games",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("title", sa.String(length=200), nullable=False),
        sa.Column("ruleset", sa.String(length=64), nullable=False),
        sa.Column("scenario", sa.Text(), nullable=False),
        sa.Column("game_start", sa.String(length=64), nullable=False),
        sa.Column("seed", sa.String(length=128), nullable=False),
        sa.Column("length", sa.Integer(), nullable=False),
        sa.Column("anchor", sa.String(length=64), nullable=False),
        sa.Column("drawing", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["game_start"],
            ["states.hash"],
        ),
        sa.ForeignKeyConstraint(
            ["ruleset"],
            ["rulesets.hash"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "corrections",
        sa.Column("game", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("what", sa.String(length=16), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["game"],
            ["games.id"],
        ),
        sa.PrimaryKeyConstraint("game", "number"),
    )
    op.create_table(
        "entries",
        sa.Column("game", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["game"],
            ["games.id"],
        ),
        sa.PrimaryKeyConstraint("game", "number"),
    )
    with op.batch_alter_table("entries", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_entries_position"), ["position"], unique=False)

    op.create_table(
        "handins",
        sa.Column("game", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("nation", sa.String(length=64), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("orders", sa.Text(), nullable=False),
        sa.Column("answers", sa.Text(), nullable=False),
        sa.Column("by", sa.String(length=16), nullable=False),
        sa.Column("at", sa.String(length=32), nullable=False),
        sa.ForeignKeyConstraint(
            ["game"],
            ["games.id"],
        ),
        sa.PrimaryKeyConstraint("game", "number"),
    )
    op.create_table(
        "inputs",
        sa.Column("game", sa.String(length=64), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("nation", sa.String(length=64), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("orders", sa.Text(), nullable=False),
        sa.Column("answers", sa.Text(), nullable=False),
        sa.Column("by", sa.String(length=16), nullable=False),
        sa.ForeignKeyConstraint(
            ["game"],
            ["games.id"],
        ),
        sa.PrimaryKeyConstraint("game", "position", "nation"),
    )
    op.create_table(
        "pool",
        sa.Column("game", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("email", sa.String(length=200), nullable=False),
        sa.Column("side", sa.String(length=64), nullable=False),
        sa.Column("nation", sa.String(length=64), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.ForeignKeyConstraint(
            ["game"],
            ["games.id"],
        ),
        sa.PrimaryKeyConstraint("game", "name"),
    )
    op.create_table(
        "positions",
        sa.Column("game", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=64), nullable=False),
        sa.Column("turn_start", sa.String(length=64), nullable=False),
        sa.Column("phase_start", sa.String(length=64), nullable=False),
        sa.Column("head", sa.String(length=64), nullable=False),
        sa.Column("entries", sa.Integer(), nullable=False),
        sa.Column("dice", sa.Text(), nullable=False),
        sa.Column("waiting", sa.Text(), nullable=False),
        sa.Column("commitment", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["game"],
            ["games.id"],
        ),
        sa.ForeignKeyConstraint(
            ["phase_start"],
            ["states.hash"],
        ),
        sa.ForeignKeyConstraint(
            ["state"],
            ["states.hash"],
        ),
        sa.ForeignKeyConstraint(
            ["turn_start"],
            ["states.hash"],
        ),
        sa.PrimaryKeyConstraint("game", "number"),
    )
    op.create_table(
        "salts",
        sa.Column("game", sa.String(length=64), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("nation", sa.String(length=64), nullable=False),
        sa.Column("salt", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(
            ["game"],
            ["games.id"],
        ),
        sa.PrimaryKeyConstraint("game", "turn", "nation"),
    )
    op.create_table(
        "seat_keys",
        sa.Column("game", sa.String(length=64), nullable=False),
        sa.Column("nation", sa.String(length=64), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(
            ["game"],
            ["games.id"],
        ),
        sa.PrimaryKeyConstraint("game", "nation"),
    )
    op.create_table(
        "seats",
        sa.Column("game", sa.String(length=64), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("nation", sa.String(length=64), nullable=False),
        sa.Column("seat", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(
            ["game"],
            ["games.id"],
        ),
        sa.PrimaryKeyConstraint("game", "position", "nation"),
    )
    op.create_table(
        "turns",
        sa.Column("game", sa.String(length=64), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("opened", sa.Boolean(), nullable=False),
        sa.Column("closed", sa.Integer(), nullable=False),
        sa.Column("salts", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["game"],
            ["games.id"],
        ),
        sa.PrimaryKeyConstraint("game", "turn"),
    )
    op.create_table(
        "desk_browsers",
        sa.Column("id", sa.String(length=24), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("made", sa.String(length=32), nullable=False),
        sa.Column("agent", sa.String(length=120), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("hash"),
    )
    op.create_table(
        "desk_drafts",
        sa.Column("game", sa.String(length=64), nullable=False),
        sa.Column("nation", sa.String(length=64), nullable=False),
        sa.Column("stage", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("at", sa.String(length=32), nullable=False),
        sa.PrimaryKeyConstraint("game", "nation"),
    )
    op.create_table(
        "desk_inbox",
        sa.Column("number", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("game", sa.String(length=64), nullable=False),
        sa.Column("role", sa.String(length=24), nullable=False),
        sa.Column("sender", sa.String(length=200), nullable=False),
        sa.Column("subject", sa.String(length=300), nullable=False),
        sa.Column("at", sa.String(length=32), nullable=False),
        sa.Column("verdict", sa.String(length=16), nullable=False),
        sa.Column("says", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("number"),
        sa.UniqueConstraint("key"),
    )
    op.create_table(
        "desk_log",
        sa.Column("game", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("at", sa.String(length=32), nullable=False),
        sa.Column("who", sa.String(length=120), nullable=False),
        sa.Column("what", sa.Text(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("game", "number"),
    )
    op.create_table(
        "desk_outbox",
        sa.Column("number", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("key", sa.String(length=200), nullable=False),
        sa.Column("game", sa.String(length=64), nullable=False),
        sa.Column("role", sa.String(length=24), nullable=False),
        sa.Column("recipient", sa.String(length=200), nullable=False),
        sa.Column("subject", sa.String(length=300), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("html", sa.Text(), nullable=False),
        sa.Column("reply", sa.String(length=300), nullable=False),
        sa.Column("made", sa.String(length=32), nullable=False),
        sa.Column("next", sa.String(length=32), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("sent", sa.String(length=32), nullable=False),
        sa.Column("fault", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("number"),
        sa.UniqueConstraint("key"),
    )
    op.create_table(
        "desk_releases",
        sa.Column("game", sa.String(length=64), nullable=False),
        sa.Column("stage", sa.Integer(), nullable=False),
        sa.Column("head", sa.String(length=64), nullable=False),
        sa.Column("at", sa.String(length=32), nullable=False),
        sa.PrimaryKeyConstraint("game", "stage", "head"),
    )
    op.create_table(
        "desk_roles",
        sa.Column("id", sa.String(length=24), nullable=False),
        sa.Column("game", sa.String(length=64), nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("nation", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=120), nullable=False),
        sa.Column("email", sa.String(length=200), nullable=False),
        sa.Column("post", sa.String(length=24), nullable=False),
        sa.Column("made", sa.String(length=32), nullable=False),
        sa.Column("ended", sa.String(length=32), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("post"),
    )
    with op.batch_alter_table("desk_roles", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_desk_roles_email"), ["email"], unique=False)
        batch_op.create_index(batch_op.f("ix_desk_roles_game"), ["game"], unique=False)

    op.create_table(
        "desk_settings",
        sa.Column("game", sa.String(length=64), nullable=False),
        sa.Column("due", sa.String(length=32), nullable=False),
        sa.Column("days", sa.Integer(), nullable=False),
        sa.Column("paused", sa.Boolean(), nullable=False),
        sa.Column("auto", sa.String(length=16), nullable=False),
        sa.Column("remind", sa.Integer(), nullable=False),
        sa.Column("public", sa.Boolean(), nullable=False),
        sa.Column("made", sa.String(length=32), nullable=False),
        sa.PrimaryKeyConstraint("game"),
    )
    op.create_table(
        "desk_links",
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("role", sa.String(length=24), nullable=False),
        sa.Column("made", sa.String(length=32), nullable=False),
        sa.Column("expires", sa.String(length=32), nullable=False),
        sa.Column("used", sa.String(length=32), nullable=False),
        sa.ForeignKeyConstraint(
            ["role"],
            ["desk_roles.id"],
        ),
        sa.PrimaryKeyConstraint("hash"),
    )
    op.create_table(
        "desk_sessions",
        sa.Column("id", sa.String(length=24), nullable=False),
        sa.Column("browser", sa.String(length=24), nullable=False),
        sa.Column("role", sa.String(length=24), nullable=False),
        sa.Column("made", sa.String(length=32), nullable=False),
        sa.Column("seen", sa.String(length=32), nullable=False),
        sa.Column("ended", sa.String(length=32), nullable=False),
        sa.ForeignKeyConstraint(
            ["browser"],
            ["desk_browsers.id"],
        ),
        sa.ForeignKeyConstraint(
            ["role"],
            ["desk_roles.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    with op.batch_alter_table("desk_sessions", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_desk_sessions_role"), ["role"], unique=False)
