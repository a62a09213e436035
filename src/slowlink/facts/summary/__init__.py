"""The plain values of a report, by name."""
