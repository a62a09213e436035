"""Rows of tables that are read many at a time."""
