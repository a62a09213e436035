"""How a store of an older slowlink becomes one of this: Alembic's scripts, run when a store is opened to write."""
