"""One script on many nodes."""
