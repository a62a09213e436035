"""Asking a running job and its nodes."""
