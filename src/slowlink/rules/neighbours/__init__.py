"""What others do on the nodes of a run meanwhile: their processes, and their traffic."""
