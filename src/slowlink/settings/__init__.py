"""Settings of nodes that ``slowlink prepare`` sets right and back: one file each, found by being there."""
