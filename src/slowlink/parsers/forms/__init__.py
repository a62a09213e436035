"""What formats have in common: the interface of a parser, tables of one-line messages, blocks, values."""
