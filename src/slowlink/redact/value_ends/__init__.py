"""Where a value ends: between quotes, as a bare word, with blanks in it, with something glued to it."""
