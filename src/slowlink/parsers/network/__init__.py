"""Tools that report on network interfaces."""
