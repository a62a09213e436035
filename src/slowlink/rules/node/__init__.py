"""Nodes as a whole: power settings, memory errors, health checks, and nodes that did not answer."""
