"""Numbers for Prometheus: which there are, under which names and labels, and the text that holds them."""
