"""How one line is read: which readers it concerns, in which order they read it, and what was read before."""
