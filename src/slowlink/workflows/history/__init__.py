"""The history of measurements: what is kept of a report, and what is made of it later."""
