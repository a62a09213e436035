"""What operators for MPI and PyTorch do with their objects."""
