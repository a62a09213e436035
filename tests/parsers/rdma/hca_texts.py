"""Outputs of tools on HCAs as we write them: the forms of the tools, with values of our own."""

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

LOOPS = """\
=== mlx5_4 ===
4: ACTIVE
200 Gb/sec (2X NDR)
mlx5_5: 4: ACTIVE, 5: LinkUp, 400 Gb/sec (4X NDR)
mlx5_6/1 state=1: DOWN phys_state=3: Disabled pci=0000:4b:00.0 numa=1 fw=28.43.2026
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

ALL = {name: text for name, text in list(globals().items()) if name.isupper() and isinstance(text, str)}
"""Every text by its name."""
