"""What the times of a running job show, as its library took them on every rank."""
