"""A site's policy as a file: written from a node that is right, read where nodes are held against it.

schema = "slowlink.policy/1"
written_from = "gpu01"

[node]
driver-version = "570.133.20"
kernel-release = ["5.15.0-136-generic", "5.15.0-141-generic"]    # any of them

[gpu]
count = 8
gpu-power-limit = { at_least = 700 }

[port."mlx5_[0-3]/1"]
port-rate = 400

A table is a kind of part (``model.state.Part``), and holds for each of its parts; a table in it holds for those of its
name, a set as ``mlx5_[0-3]`` or ``a,b``.
"""
