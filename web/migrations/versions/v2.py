"""Answers of the moderator stand in a table of their own."""

from alembic import op

from wteaw.store.schema import decided

revision = "v2"
down_revision = "v1"
branch_labels = None
depends_on = None


def upgrade() -> None:
    decided.create(op.get_bind(), checkfirst=True)  # the first version makes every table that there is today
