"""Records of logs: JSON values that say one line of text, and what a collector put around it."""
