"""HCAs: which there are, which NCCL uses, and how it was told to."""
