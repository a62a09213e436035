"""A training job that does not exist: when each rank calls which collective, and how long it is at work there.

Every rank has a clock; a call ends for all of its ranks when the last has come and the data are through.
"""
