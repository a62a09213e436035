"""Words that tables of people and scripts use, as data."""
