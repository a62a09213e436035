"""Launchers, schedulers, frameworks and libraries of a job."""
