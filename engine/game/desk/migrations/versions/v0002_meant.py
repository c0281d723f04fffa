"""Drafts keep which warnings their player has silenced."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("desk_drafts", schema=None) as batch_op:
        batch_op.add_column(sa.Column("meant", sa.Text(), nullable=False, server_default=""))
