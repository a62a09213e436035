"""Whole environments: which of their variables may stay, and where dumps of them stand in a text."""
