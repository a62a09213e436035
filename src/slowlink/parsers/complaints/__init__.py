"""What no other parser took: complaints in free words, and lines that programs mark as errors."""
