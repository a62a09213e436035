"""Outputs of RDMA tools as we write them: the forms of the tools, with values of our own."""

from __future__ import annotations

IBSTAT = """\
CA 'mlx5_0'
	CA type: MT4129
	Number of ports: 1
	Firmware version: 28.43.2026
	Hardware version: 0
	Node GUID: 0xa088c20300aa0010
	System image GUID: 0xa088c20300aa0010
	Port 1:
		State: Active
		Physical state: LinkUp
		Rate: 400
		Base lid: 17
		LMC: 0
		SM lid: 3
		Capability mask: 0xa751e848
		Port GUID: 0xa088c20300aa0010
		Link layer: InfiniBand
CA 'mlx4_0'
	CA type: MT4103
	Number of ports: 2
	Port 1:
		State: Initializing
		Physical state: LinkUp
		Rate: 56 (FDR10)
		Base lid: 65535
		SM lid: 0
		Link layer: InfiniBand
	Port 2:
		State: Down
		Physical state: Polling
		Rate: 2.5
		Link layer: InfiniBand
"""

IBSTATUS = """\
Infiniband device 'mlx5_2' port 1 status:
	default gid:	 fe80:0000:0000:0000:a088:c203:00aa:0012
	base lid:	 0x1f
	sm lid:		 0x3
	state:		 4: ACTIVE
	phys state:	 5: LinkUp
	rate:		 200 Gb/sec (2X NDR)
	link_layer:	 InfiniBand

"""

IBV_DEVINFO = """\
hca_id:	mlx5_3
	transport:			InfiniBand (0)
	fw_ver:				28.43.2026
	node_guid:			a088:c203:00aa:0013
	sys_image_guid:			a088:c203:00aa:0013
	vendor_id:			0x02c9
	vendor_part_id:			4129
	hw_ver:				0x0
	board_id:			MT_0000000838
	phys_port_cnt:			1
	max_mr_size:			0xffffffffffffffff
	device_cap_flags:		0xed721c36
					BAD_PKEY_CNTR
					Unknown flags: 0xC8400000
		port:	1
			state:			PORT_ACTIVE (4)
			max_mtu:		4096 (5)
			active_mtu:		1024 (3)
			sm_lid:			0
			port_lid:		0
			port_lmc:		0x00
			link_layer:		Ethernet
			active_width:		4X (2)
			phys_state:		LINK_UP (5)
			GID[  0]:		fe80:0000:0000:0000:a288:c2ff:feaa:0013, RoCE v1
			GID[  3]:		::ffff:10.1.2.3, RoCE v2
"""

SHOW_GIDS = """\
DEV	PORT	INDEX	GID					IPv4  		VER	DEV
---	----	-----	---					------------  	---	---
mlx5_3	1	0	fe80:0000:0000:0000:a288:c2ff:feaa:0013			v1	ens3np0
mlx5_3	1	3	0000:0000:0000:0000:0000:ffff:0a01:0203	10.1.2.3  	v2	ens3np0
mlx5_0	1	0	fe80:0000:0000:0000:a088:c203:00aa:0010			v1
n_gids_found=3
"""

IBDEV2NETDEV = """\
mlx5_bond_0 port 1 ==> bond0 (Up)
rocep1s0f1 port 1 ==> ens1f1np1 (Down)
0000:17:00.0 mlx5_0 (MT4129 - MCX750500B-0D00) ConnectX-7 adapter card, 400Gb/s NDR IB, PCIe 5.0 x16   fw 28.43.2026 port 1 (ACTIVE) ==> ib0 (Up)
0000:18:00.0 mlx5_1 (MT4129 - MCX750500B-0D00) ConnectX-7 adapter card, 400Gb/s NDR IB, PCIe 5.0 x16   fw 28.43.2026 port 1 (DOWN  ) ==> ib1 (Down)
"""

RDMA_TOOL = """\
link mlx5_0/1 subnet_prefix fe80:0000:0000:0000 lid 17 sm_lid 3 lmc 0 state ACTIVE physical_state LINK_UP
link mlx5_3/1 state DOWN physical_state DISABLED netdev ens3np0 netdev_index 7
0/1: mlx4_0/1: subnet_prefix fe80:0000:0000:0000 lid 4 sm_lid 3 lmc 0 state INIT physical_state LINK_UP
0: mlx5_0: node_type ca fw 28.43.2026 node_guid a088:c203:00aa:0010 sys_image_guid a088:c203:00aa:0010
link mlx5_3/1 rx_write_requests 7 out_of_sequence 2 np_cnp_sent 5 lifespan 12
0: mlx5_0: qp 12 cq 24 mr 3 pd 2
"""

RDMA_JSON = """\
[{"ifindex":0,"ifname":"mlx5_0","port":1,"state":"ACTIVE","physical_state":"LINK_UP","netdev":"ens1np0","netdev_index":2},
 {"ifindex":1,"ifname":"mlx5_1","port":1,"state":"DOWN","physical_state":"POLLING","rx_write_requests":9}]
"""

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

MLNX_QOS = """\
# mlnx_qos -i ens1np0
DCBX mode: OS controlled
Priority trust state: dscp
dscp2prio mapping:
	prio:0 dscp:07,06,05,04,03,02,01,00,
PFC configuration:
	priority    0   1   2   3   4   5   6   7
	enabled     0   0   0   1   0   0   0   0
	buffer      0   0   0   1   0   0   0   0
tc: 0 ratelimit: unlimited, tsa: vendor
	priority:  1
"""

MST = """\
MST modules:
------------
    MST PCI configuration module loaded
DEVICE_TYPE             MST                           PCI       RDMA            NET                       NUMA
ConnectX7(rev:0)        /dev/mst/mt4129_pciconf0      17:00.0   mlx5_0          net-ib0                   1
"""

COUNTERS = """\
# show_counters mlx5_0 1
	Port 1 hw counters:
	out_of_sequence: 4
	lifespan: 10
	port_xmit_data: 8
# cma_roce_tos -d mlx5_3
106
"""

LISTS = """\
    device          	   node GUID
    ------          	----------------
    mlx5_0          	a088c20300aa0010
# ibstat -l
mlx5_0
mlx5_1
# ibstat -p
0xa088c20300aa0010
lrwxrwxrwx 1 root root 0 Jan 1 00:00 mlx5_7 -> ../../devices/pci0000:15/0000:16:00.0/infiniband/mlx5_7
VM_hostname node04
a088c20300aa0044
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

LOOPS = """\
=== mlx5_4 ===
4: ACTIVE
200 Gb/sec (2X NDR)
mlx5_5: 4: ACTIVE, 5: LinkUp, 400 Gb/sec (4X NDR)
mlx5_6/1 state=1: DOWN phys_state=3: Disabled pci=0000:4b:00.0 numa=1 fw=28.43.2026
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
