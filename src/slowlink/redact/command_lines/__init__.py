"""Secret arguments of programs: where the words of a command stand, and which of them are secret."""
