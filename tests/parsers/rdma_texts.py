"""Outputs of RDMA tools as we write them: the forms of the tools, with values of our own."""

from __future__ import annotations

PASTED_FILES = """\
# tail -n +1 /sys/class/infiniband/mlx5_1/ports/1/*
==> /sys/class/infiniband/mlx5_1/ports/1/state <==
1: DOWN

==> /sys/class/infiniband/mlx5_1/ports/1/phys_state <==
2: Polling
root@n1:~# cat /sys/class/infiniband/mlx5_2/ports/1/phys_state
5: LinkUp
# cat /sys/class/infiniband/mlx5_2/fw_ver
cat: /sys/class/infiniband/mlx5_2/fw_ver: No such file or directory
/sys/class/net/ens1np0/mtu -> 9000
/sys/class/infiniband/mlx5_4/ports/1/rate 400 Gb/sec (4X NDR)
$ cat /sys/class/infiniband/mlx5_4/ports/1/gids/3
0000:0000:0000:0000:0000:ffff:0a01:0204
capture/mlx5_3/ports/1/rate:200 Gb/sec (2X NDR)
/sys/devices/pci0000:16/0000:17:00.0/infiniband/mlx5_0/ports/1/lid
0x11
"""

ALL = {name: text for name, text in globals().items() if name.isupper() and isinstance(text, str)}
"""Every text by its name."""
