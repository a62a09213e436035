"""Versions, environment variables and limits of processes."""
