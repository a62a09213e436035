"""Switches and the links between them, as InfiniBand fabric tools show them."""
