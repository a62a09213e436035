"""Which programs belong to whom, by the names that lists of processes and logs show."""
