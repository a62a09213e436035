"""What a run launches: all ranks together, or each node by itself."""
