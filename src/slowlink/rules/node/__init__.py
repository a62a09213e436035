"""Nodes as a whole: power settings, memory errors, health checks, and nodes that differ or did not answer."""
