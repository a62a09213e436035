"""The history: reports kept in a database, SQLite by default, PostgreSQL by URL (docs/history.md has its schema).

The only package that opens databases. SQLAlchemy and Alembic are an extra: they are imported when a store is opened.
"""
