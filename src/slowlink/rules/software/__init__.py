"""Versions and environment variables."""
