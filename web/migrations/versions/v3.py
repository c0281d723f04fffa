"""What stands in the tables of a server that are under the chain of their game is taken into it."""

from alembic import op
from sqlalchemy import select

from wteaw.store import ledger
from wteaw_web.tables import CHAINED

revision = "v3"
down_revision = "v2"
branch_labels = None
depends_on = None


def upgrade() -> None:
    db = op.get_bind()
    for table in CHAINED:
        for row in db.execute(select(table).order_by(*table.primary_key)).all():
            ledger.note(db, table, dict(row._mapping))
