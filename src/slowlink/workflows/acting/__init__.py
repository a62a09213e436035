"""Acting on a report: what follows from it for nodes and ports. Pure; nothing is done here."""
