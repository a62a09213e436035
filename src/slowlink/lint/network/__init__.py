"""Networks and names that pods see."""
