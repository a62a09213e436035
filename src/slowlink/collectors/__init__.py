"""What is asked of a node: one POSIX sh file a source, with what the node already has; nothing is installed there."""
