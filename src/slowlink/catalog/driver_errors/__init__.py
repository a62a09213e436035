"""The numbers by which NVIDIA's drivers name errors of GPUs (Xid) and NVSwitches (SXid), and what NVIDIA advises."""
