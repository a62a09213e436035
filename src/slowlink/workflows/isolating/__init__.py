"""``slowlink isolate``: rounds on real nodes and on simulated ones, and pairs that others measured."""
