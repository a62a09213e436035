"""Experiments with launches: which to run, in which order, and what follows from what they gave. Everything here is
pure; ``workflows/experiment`` runs them."""
