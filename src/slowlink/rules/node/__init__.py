"""Nodes as a whole: power settings, memory, health checks, and nodes that differ or did not answer."""
