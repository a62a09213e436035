"""How much memory, disk space and processor time a node has, and who takes it."""
