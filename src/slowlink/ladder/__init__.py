"""The ladder of ``slowlink check``: which layers a machine has, what is run next, what each layer measured says of the
next, and which experiment separates the causes that remain. Everything here is pure; ``workflows/climb`` runs it."""
