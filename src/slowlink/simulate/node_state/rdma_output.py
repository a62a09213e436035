"""What the tools of InfiniBand print on a simulated node: ``ibstat``, ``ibv_devinfo``, ``rdma link show``.

Layouts: infiniband-diags 39, rdma-core 39, iproute2 6.1.
"""

from __future__ import annotations

from slowlink.simulate.node_state.description import SimulatedNode


def ibstat(node: SimulatedNode) -> str:
    """``ibstat``."""
    return "".join(_ibstat(node, hca) for hca in range(node.gpus))


def _ibstat(node: SimulatedNode, hca: int) -> str:
    guid = node.guid(hca)
    down = node.dead_port == hca
    return f"""\
CA 'mlx5_{hca}'
	CA type: MT4129
	Number of ports: 1
	Firmware version: 28.43.2026
	Hardware version: 0
	Node GUID: 0x{guid:016x}
	System image GUID: 0x{guid:016x}
	Port 1:
		State: {"Down" if down else "Active"}
		Physical state: {"Polling" if down else "LinkUp"}
		Rate: {10 if down else 200 if node.slow_port == hca else 400}
		Base lid: {65535 if down else 16 * node.number + hca}
		LMC: 0
		SM lid: 1
		Capability mask: 0xa751e848
		Port GUID: 0x{guid:016x}
		Link layer: InfiniBand
"""


def ibv_devinfo(node: SimulatedNode) -> str:
    """``ibv_devinfo``."""
    return "\n".join(_ibv_devinfo(node, hca) for hca in range(node.gpus))


def _ibv_devinfo(node: SimulatedNode, hca: int) -> str:
    guid = f"{node.guid(hca):016x}"
    colons = ":".join(guid[at : at + 4] for at in range(0, 16, 4))
    return f"""\
hca_id:	mlx5_{hca}
	transport:			InfiniBand (0)
	fw_ver:				28.43.2026
	node_guid:			{colons}
	sys_image_guid:			{colons}
	vendor_id:			0x02c9
	vendor_part_id:			4129
	hw_ver:				0x0
	board_id:			MT_0000000838
	phys_port_cnt:			1
		port:	1
			state:			{"PORT_DOWN (1)" if node.dead_port == hca else "PORT_ACTIVE (4)"}
			max_mtu:		4096 (5)
			active_mtu:		4096 (5)
			sm_lid:			1
			port_lid:		{16 * node.number + hca}
			port_lmc:		0x00
			link_layer:		InfiniBand
"""


def rdma_link(node: SimulatedNode) -> str:
    """``rdma link show``."""
    lines = []
    for hca in range(node.gpus):
        prefix = "fe80:0000:0000:0000"
        lid = 16 * node.number + hca
        state = "DOWN physical_state POLLING" if node.dead_port == hca else "ACTIVE physical_state LINK_UP"
        lines.append(f"link mlx5_{hca}/1 subnet_prefix {prefix} lid {lid} sm_lid 1 lmc 0 state {state} \n")
    return "".join(lines)
