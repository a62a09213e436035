"""Frozen records that every layer shares. They hold values and their source lines, and no behaviour."""
