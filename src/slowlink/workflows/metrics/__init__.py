"""What Prometheus is told: read from the history, served over HTTP or put into a file."""
