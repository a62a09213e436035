"""What is asked of a single node and answered at once, without a bundle."""
