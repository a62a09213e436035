"""Tokens that are known by what their issuer puts before them, and those of issuers that no list names."""
