"""What benchmarks measured: bandwidth, its shape and its steadiness, stragglers, slow pairs."""
