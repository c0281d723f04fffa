"""Days on which no orders are due stand in how a game is run."""

from alembic import op
from sqlalchemy import Column, Text, inspect, select

from wteaw.store import ledger
from wteaw_web.tables import settings

revision = "v4"
down_revision = "v3"
branch_labels = None
depends_on = None


def upgrade() -> None:
    db = op.get_bind()
    if "off" in {column["name"] for column in inspect(db).get_columns(settings.name)}:
        return  # the first version makes every column that there is today
    op.add_column(settings.name, Column("off", Text, nullable=False, server_default=""))
    for row in db.execute(select(settings).order_by(*settings.primary_key)).all():
        ledger.note(db, settings, dict(row._mapping))
