"""Outputs of RDMA tools as we write them: the forms of the tools, with values of our own."""

from __future__ import annotations

IP_LINK = """\
3: ens1np0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 9000 qdisc mq master bond0 state UP mode DEFAULT group default qlen 1000
    link/ether a0:88:c2:11:22:33 brd ff:ff:ff:ff:ff:ff
    RX:  bytes packets errors dropped  missed   mcast
      12345678   10000      0       3       0       2
    TX:  bytes packets errors dropped carrier collsns
       2345678    9000      1       0       0       0
4: ib0: <NO-CARRIER,BROADCAST,MULTICAST,UP> mtu 2044 qdisc mq state DOWN mode DEFAULT group default qlen 256
    link/infiniband 00:00:10:29:fe:80:00:00:00:00:00:00:a0:88:c2:03:00:aa:00:10 brd 00:ff:ff:ff:ff:12:40:1b:ff:ff:00:00:00:00:00:00:ff:ff:ff:ff
    inet 10.9.0.4/16 brd 10.9.255.255 scope global ib0
       valid_lft forever preferred_lft forever
ens7np0          UP             10.4.0.9/16 fe80::a288:c2ff:fe11:2244/64
"""

IP_JSON = """\
[{"ifindex":4,"ifname":"ib0","flags":["BROADCAST","MULTICAST","UP","LOWER_UP"],"mtu":2044,"operstate":"UP",
  "link_type":"infiniband","address":"00:00:10:29","stats64":{"rx":{"bytes":5,"errors":0},"tx":{"bytes":6}}}]
"""

ETHTOOL = """\
# ethtool ens1np0
Settings for ens1np0:
	Supported ports: [ Backplane ]
	Supported link modes:   1000baseKX/Full
	Speed: 200000Mb/s
	Lanes: 4
	Duplex: Full
	Auto-negotiation: on
	Link detected: yes
# ethtool -S ens1np0
NIC statistics:
     rx_packets: 12
     rx_prio3_pause: 5
     tx_prio3_pause: 9
     rx_prio3_discards: 1
     rx_pause_ctrl_phy: 14
     rx_discards_phy: 2
     link_down_events_phy: 3
# ethtool -a ens1np0
Pause parameters for ens1np0:
Autonegotiate:	off
RX:		on
TX:		off
# ethtool -i ens1np0
driver: mlx5_core
version: 24.10-1.1.4
firmware-version: 28.43.2026 (MT_0000000838)
expansion-rom-version:
bus-info: 0000:17:00.0
supports-statistics: yes
# ethtool --show-fec ens1np0
FEC parameters for ens1np0:
Supported/Configured FEC encodings: Auto
Active FEC encoding: RS
"""


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


IFCONFIG = """\
ib0: flags=4163<UP,BROADCAST,RUNNING,MULTICAST>  mtu 2044
        inet 10.9.0.4  netmask 255.255.0.0  broadcast 10.9.255.255
        inet6 fe80::a288:c203:aa:10  prefixlen 64  scopeid 0x20<link>
        infiniband 00:00:10:29:FE:80:00:00  txqueuelen 256  (InfiniBand)
        RX packets 120  bytes 4711 (4.7 KB)
        RX errors 1  dropped 2  overruns 0  frame 0
        TX packets 9  bytes 99 (99.0 B)
        TX errors 0  dropped 3 overruns 0  carrier 0  collisions 0
"""

ALL = {name: text for name, text in globals().items() if name.isupper() and isinstance(text, str)}
"""Every text by its name."""
