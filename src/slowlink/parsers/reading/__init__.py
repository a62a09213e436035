"""From bytes to records: scan, offer each line to the parsers that want it, account for every line."""
