"""Logs of many nodes, read where they lie: the reading runs there, and records come back."""
