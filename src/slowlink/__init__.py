"""slowlink finds out why the collectives of a GPU cluster are slow, and proves it when they are not."""

__version__ = "0.1.0"
