"""What the history holds, for people, scripts and tables."""
