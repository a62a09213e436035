"""What pods get of their node: GPUs, HCAs, memory, processors."""
