"""What stands before the words of a line: of NCCL, of loggers, and of whom nobody knows."""
