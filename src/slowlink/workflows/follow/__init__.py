"""``slowlink follow``: the calls of a running job, read while its ranks write them down."""
