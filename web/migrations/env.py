"""How Alembic runs the versions: on the connection that it is given, in the transaction of whoever gives
it.
"""

from alembic import context

from wteaw.store.schema import metadata as of_games
from wteaw_web.tables import metadata as of_desk

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=[of_games, of_desk],
    render_as_batch=True,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
