"""What a report asks somebody to do, in words: tickets for vendors, nodes to use, ports to disable."""
