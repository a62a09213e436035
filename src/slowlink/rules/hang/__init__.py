"""Jobs that stand still: flight recorders, watchdogs, RAS."""
