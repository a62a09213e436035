"""The InfiniBand fabric, as its tools print it: one file a tool, and every node and port by one name (``names``).

A port of a switch is ``leaf1/5``, one of an adapter ``node03 mlx5_0/1``. Readings belong to the node that was asked: it
sees the whole fabric; ``facts.fabric`` joins both ends of each link.
"""
