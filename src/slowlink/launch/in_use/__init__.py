"""Which nodes a scheduler gives to jobs, and taking them out of use and back: one file a scheduler."""
