"""How pods of one job find one another, and which ranks they start."""
