"""What tools for HCAs and interfaces print beside NVIDIA's own: Slingshot, Omni-Path, bonds, modules, long forms."""

from __future__ import annotations

BONDING = """\
[root@gpu07 ~]# cat /proc/net/bonding/bond2
Ethernet Channel Bonding Driver: v6.8.0-7-generic

Bonding Mode: fault-tolerance (active-backup)
Primary Slave: None
Currently Active Slave: ens7f0np0
MII Status: up
MII Polling Interval (ms): 100
Up Delay (ms): 0
Down Delay (ms): 0

Slave Interface: ens7f0np0
MII Status: up
Speed: 25000 Mbps
Duplex: full
Link Failure Count: 1
Permanent HW addr: a0:88:c2:00:00:07
Slave queue ID: 0

Slave Interface: ens7f1np1
MII Status: down
Speed: Unknown
Duplex: Unknown
Link Failure Count: 9
Permanent HW addr: a0:88:c2:00:00:08
Slave queue ID: 0
"""

MODULE = """\
[root@gpu07 ~]# ethtool -m ens7f0np0 | head -9
\tIdentifier                                : 0x1e (QSFP+ or later with CMIS)
\tPower class                               : 5
\tCable assembly length                     : 2.00m
\tTransmitter technology                    : 0x0a (Copper cable unequalized)
\tVendor name                               : Maker
\tVendor PN                                 : XX-1
\tVendor SN                                 : 4711
\tModule temperature                        : 41.50 degrees C / 106.70 degrees F
\tRcvr signal avg optical power (Channel 1) : 0.0001 mW / -40.00 dBm
"""

QUEUES = """\
[root@gpu07 ~]# ethtool -g ens7f0np0
Ring parameters for ens7f0np0:
Pre-set maximums:
RX:\t\t\t8192
RX Mini:\t\tn/a
TX:\t\t\t8192
Current hardware settings:
RX:\t\t\t1024
TX Push:\t\toff
[root@gpu07 ~]# ethtool -k ens7f0np0
Features for ens7f0np0:
rx-checksumming: on
\ttx-checksum-ipv4: off [fixed]
"""

FILTERED = """\
[root@gpu07 ~]# ethtool -S ens7f0np0 | grep -E 'discard|pause'
     rx_discards_phy: 17
     rx_prio5_pause: 18
"""

UNNAMED = """\
NIC statistics:
     rx_crc_errors.nic: 19
     tx_errors: 20
"""


ERRORS_OF_IP = """\
[root@gpu07 ~]# ip -s -s link show dev p4p1
6: p4p1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP mode DEFAULT group default qlen 1000
    link/ether 00:11:22:33:44:07 brd ff:ff:ff:ff:ff:ff
    RX: bytes  packets  errors  dropped overrun mcast
    104        90       14      0       0       8
    RX errors: length   crc     frame   fifo    missed
               0        14      0       0       0
"""

ALL = {name: text for name, text in list(globals().items()) if name.isupper() and isinstance(text, str)}
