"""Two reports held against each other. Pure: a function of the two."""
