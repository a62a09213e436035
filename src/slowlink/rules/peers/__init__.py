"""A node beside its peers: what it says, counts or runs at, and they do not."""
