"""Alembic runs this: on the connection that ``connect.py`` has opened, in its transaction."""

from __future__ import annotations

from alembic import context

from slowlink.store.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata, transactional_ddl=True)
with context.begin_transaction():
    context.run_migrations()
