"""Which node and which part a line speaks of."""
