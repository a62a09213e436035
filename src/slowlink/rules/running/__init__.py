"""Running jobs: who holds their collectives up, by the times of every rank, and what somebody says of one."""
