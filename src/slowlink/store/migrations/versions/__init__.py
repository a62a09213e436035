"""One step a file, in the order of their ``revision``; what has been released is never changed."""
