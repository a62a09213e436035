"""NCCL, RCCL and MCCL themselves: debug log, RAS, flight recorder."""
