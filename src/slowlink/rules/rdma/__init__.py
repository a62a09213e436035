"""RDMA itself: queue pairs, GIDs, partitions, completions with errors, memory registration and its limit (memlock)."""
