"""How pods are started together, and how they end."""
