"""Output of benchmarks."""
