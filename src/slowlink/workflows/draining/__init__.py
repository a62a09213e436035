"""Taking the nodes that a report accuses out of use, and giving them back: chosen in one place, done in another."""
