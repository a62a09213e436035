"""``slowlink run``: its options, and what it does."""
