"""What many sources have in common is read, or asked, once."""
