"""What no other parser took: complaints in words that no list will ever hold, and lines marked as errors."""
