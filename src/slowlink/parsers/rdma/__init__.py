"""Tools that report on HCAs and their ports."""
