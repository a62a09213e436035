"""Columns of numbers that many lines fill, one row each."""
