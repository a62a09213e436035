"""Documents that people wrote, and which of their lines only describe."""
