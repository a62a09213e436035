"""Running jobs: who holds their collectives up, by the times of every rank."""
