"""The first version: the tables as `store/schema` and `tables` define them; a later change is a version of
its own.
"""

from alembic import op

from wteaw.store.schema import metadata as of_games
from wteaw_web.tables import metadata as of_desk

revision = "v1"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    for metadata in (of_games, of_desk):
        metadata.create_all(op.get_bind())
