"""What goes on in the next lines: whose lines these are, what stands before each, and who reads the rest."""
