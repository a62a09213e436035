"""Which nodes, and which paths between them, make a group slow: planned in rounds of disjoint groups that run side by
side, decided from what they gave. Everything here is pure; ``workflows/isolating/`` runs the rounds."""
