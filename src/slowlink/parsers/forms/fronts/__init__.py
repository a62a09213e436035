"""What stands before lines, or above them, and is not their own."""
