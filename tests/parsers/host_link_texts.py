"""What tools for HCAs and interfaces print beside NVIDIA's own: Slingshot, Omni-Path, bonds, modules, long forms."""

from __future__ import annotations

CXI_STAT = """\
x9c1s2b0n0:~ # cxi_stat
Device: cxi1
    Description: SS11 200Gb 2P NIC Mezz
    Part Number: P00000-007
    Serial Number: XX00000001
    FW Version: 1.5.7
    Network device: hsn1
    MAC: 02:00:00:00:00:17
    NID: 23 (0x00017)
    PID granule: 256
    PCIE speed/width: 16.0 GT/s PCIe x16
    PCIE slot: 0000:a1:00.0
        Link layer retry: on
        Link loopback: off
        Link media: electrical
        Link MTU: 2112
        Link speed: BS_200G
        Link state: down
    Rates:
        Good CW: 17.00/s
        Corrected BER: 1.000e-12
        Uncorrected BER: <1.178e-12
        TX Pause state: pfc/1
"""

OPAINFO = """\
[root@opa7 ~]# opainfo
hfi1_1:1                           PortGID:0xfe80000000000000:00117501010a0b0c
   PortState:     Active
   LinkSpeed      Act: 25Gb         En: 25Gb
   LinkWidth      Act: 4            En: 4
   LinkWidthDnGrd ActTx: 4  Rx: 2   En: 2,4
   LCRC           Act: 14-bit       En: 14-bit,16-bit,48-bit       Mgmt: True
   LID: 0x0000000b-0x0000000b       SM LID: 0x00000002 SL: 0
         QSFP Copper,       1m  Maker             P/N XX                Rev 01
   Xmit Data:               17 MB Pkts:                   18
   Recv Data:               19 MB Pkts:                   20
   Link Quality: 5 (Excellent)
"""

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

RDMA_PRETTY = """\
[root@gpu07 ~]# rdma -p statistic show link rdmap7s0/1
link rdmap7s0/1
    tx_bytes 21
    retrans_pkts 22
    rx_drops 23
[root@gpu07 ~]# rdma system
netns shared copy-on-fork on
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
