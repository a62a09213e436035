"""GPUDirect RDMA: whether HCAs reach GPU memory, and from which GPU."""
