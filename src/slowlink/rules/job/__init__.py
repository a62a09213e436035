"""How a job started and how it ended."""
