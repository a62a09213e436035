"""What all commands show alike: their help, and a report on standard output."""
