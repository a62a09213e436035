"""RDMA tools on a host: every form gives readings in one spelling, and next to no line stays unread."""

from __future__ import annotations

import pytest
import rdma_texts
from hypothesis import given, settings
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.inputs import Input
from slowlink.model.records import Records
from slowlink.parsers.network.ip_json import IpJson
from slowlink.parsers.rdma.rdma_json import RdmaJson
from slowlink.parsers.reading.read import read

UNREAD = {
    "MST": ["------------"],
}
"""What is not claimed: a bare ruler may be anybody's, an error is no value."""
TEXTS = list(rdma_texts.ALL.values())


def records(text: str) -> Records:
    return read([Input("t", None, [text.encode()])], workers=1)


def said(text: str) -> list[str]:
    """``attribute part = value`` of every reading, with the node where one is told."""
    return [
        f"{r.attribute} {r.part.name} = {r.value}{f' @{r.host}' if r.host else ''}".replace("  ", " ")
        for r in records(text).readings
    ]


@pytest.mark.parametrize("name", sorted(rdma_texts.ALL))
def test_next_to_no_line_stays_unread(name: str) -> None:
    (source,) = records(rdma_texts.ALL[name]).sources
    assert [ref.text for ref in source.unread_samples if not ref.text.startswith("#")] == UNREAD.get(name, [])


def test_ibstat() -> None:
    assert said(rdma_texts.IBSTAT) == snapshot(
        [
            "hca-model mlx5_0 = MT4129",
            "hca-port-count mlx5_0 = 1",
            "hca-firmware mlx5_0 = 28.43.2026",
            "hca-hardware-version mlx5_0 = 0",
            "hca-node-guid mlx5_0 = a088c20300aa0010",
            "hca-system-guid mlx5_0 = a088c20300aa0010",
            "port-state mlx5_0/1 = Active",
            "port-physical-state mlx5_0/1 = LinkUp",
            "port-rate mlx5_0/1 = 400.0",
            "port-lid mlx5_0/1 = 17",
            "port-sm-lid mlx5_0/1 = 3",
            "port-guid mlx5_0/1 = a088c20300aa0010",
            "port-link-layer mlx5_0/1 = InfiniBand",
            "hca-model mlx4_0 = MT4103",
            "hca-port-count mlx4_0 = 2",
            "port-state mlx4_0/1 = Init",
            "port-physical-state mlx4_0/1 = LinkUp",
            "port-rate mlx4_0/1 = 56.0",
            "port-lid mlx4_0/1 = 65535",
            "port-sm-lid mlx4_0/1 = 0",
            "port-link-layer mlx4_0/1 = InfiniBand",
            "port-state mlx4_0/2 = Down",
            "port-physical-state mlx4_0/2 = Polling",
            "port-rate mlx4_0/2 = 2.5",
            "port-link-layer mlx4_0/2 = InfiniBand",
        ]
    )


def test_ibstatus() -> None:
    assert said(rdma_texts.IBSTATUS) == snapshot(
        [
            "port-lid mlx5_2/1 = 31",
            "port-sm-lid mlx5_2/1 = 3",
            "port-state mlx5_2/1 = Active",
            "port-physical-state mlx5_2/1 = LinkUp",
            "port-rate mlx5_2/1 = 200.0",
            "port-width mlx5_2/1 = 2",
            "port-link-layer mlx5_2/1 = InfiniBand",
        ]
    )


def test_ibv_devinfo() -> None:
    assert said(rdma_texts.IBV_DEVINFO) == snapshot(
        [
            "hca-firmware mlx5_3 = 28.43.2026",
            "hca-node-guid mlx5_3 = a088c20300aa0013",
            "hca-system-guid mlx5_3 = a088c20300aa0013",
            "hca-hardware-version mlx5_3 = 0",
            "hca-board-id mlx5_3 = MT_0000000838",
            "hca-port-count mlx5_3 = 1",
            "port-state mlx5_3/1 = Active",
            "port-mtu-max mlx5_3/1 = 4096",
            "port-mtu mlx5_3/1 = 1024",
            "port-sm-lid mlx5_3/1 = 0",
            "port-lid mlx5_3/1 = 0",
            "port-link-layer mlx5_3/1 = Ethernet",
            "port-width mlx5_3/1 = 4",
            "port-physical-state mlx5_3/1 = LinkUp",
            "gid-value mlx5_3/1/0 = fe80:0000:0000:0000:a288:c2ff:feaa:0013",
            "gid-type mlx5_3/1/0 = IB/RoCE v1",
            "gid-value mlx5_3/1/3 = 0000:0000:0000:0000:0000:ffff:0a01:0203",
            "gid-ipv4 mlx5_3/1/3 = 10.1.2.3",
            "gid-type mlx5_3/1/3 = RoCE v2",
        ]
    )


def test_show_gids() -> None:
    assert said(rdma_texts.SHOW_GIDS) == snapshot(
        [
            "gid-value mlx5_3/1/0 = fe80:0000:0000:0000:a288:c2ff:feaa:0013",
            "gid-type mlx5_3/1/0 = IB/RoCE v1",
            "gid-netdev mlx5_3/1/0 = ens3np0",
            "gid-value mlx5_3/1/3 = 0000:0000:0000:0000:0000:ffff:0a01:0203",
            "gid-ipv4 mlx5_3/1/3 = 10.1.2.3",
            "gid-type mlx5_3/1/3 = RoCE v2",
            "gid-netdev mlx5_3/1/3 = ens3np0",
            "gid-value mlx5_0/1/0 = fe80:0000:0000:0000:a088:c203:00aa:0010",
            "gid-type mlx5_0/1/0 = IB/RoCE v1",
            "gid-total = 3",
        ]
    )


def test_ibdev2netdev() -> None:
    assert said(rdma_texts.IBDEV2NETDEV) == snapshot(
        [
            "port-netdev mlx5_bond_0/1 = bond0",
            "interface-state bond0 = up",
            "port-netdev rocep1s0f1/1 = ens1f1np1",
            "interface-state ens1f1np1 = down",
            "port-netdev mlx5_0/1 = ib0",
            "port-state mlx5_0/1 = Active",
            "interface-state ib0 = up",
            "hca-bus-id mlx5_0 = 0000:17:00.0",
            "hca-model mlx5_0 = MT4129",
            "hca-board mlx5_0 = MCX750500B-0D00",
            "hca-name mlx5_0 = ConnectX-7 adapter card, 400Gb/s NDR IB, PCIe 5.0 x16",
            "hca-card mlx5_0 = ConnectX-7",
            "hca-firmware mlx5_0 = 28.43.2026",
            "port-netdev mlx5_1/1 = ib1",
            "port-state mlx5_1/1 = Down",
            "interface-state ib1 = down",
            "hca-bus-id mlx5_1 = 0000:18:00.0",
            "hca-model mlx5_1 = MT4129",
            "hca-board mlx5_1 = MCX750500B-0D00",
            "hca-name mlx5_1 = ConnectX-7 adapter card, 400Gb/s NDR IB, PCIe 5.0 x16",
            "hca-card mlx5_1 = ConnectX-7",
            "hca-firmware mlx5_1 = 28.43.2026",
        ]
    )


def test_rdma_tool() -> None:
    assert said(rdma_texts.RDMA_TOOL) == snapshot(
        [
            "port-link-layer mlx5_0/1 = InfiniBand",
            "port-lid mlx5_0/1 = 17",
            "port-sm-lid mlx5_0/1 = 3",
            "port-state mlx5_0/1 = Active",
            "port-physical-state mlx5_0/1 = LinkUp",
            "port-link-layer mlx5_3/1 = Ethernet",
            "port-state mlx5_3/1 = Down",
            "port-physical-state mlx5_3/1 = Disabled",
            "port-netdev mlx5_3/1 = ens3np0",
            "port-link-layer mlx4_0/1 = InfiniBand",
            "port-lid mlx4_0/1 = 4",
            "port-sm-lid mlx4_0/1 = 3",
            "port-state mlx4_0/1 = Init",
            "port-physical-state mlx4_0/1 = LinkUp",
            "hca-firmware mlx5_0 = 28.43.2026",
            "hca-node-guid mlx5_0 = a088c20300aa0010",
            "hca-system-guid mlx5_0 = a088c20300aa0010",
            "rdma-rx-write-requests mlx5_3/1 = 7",
            "rdma-out-of-sequence mlx5_3/1 = 2",
            "rdma-np-cnp-sent mlx5_3/1 = 5",
        ]
    )


def test_rdma_json() -> None:
    assert said(rdma_texts.RDMA_JSON) == snapshot(
        [
            "port-link-layer mlx5_0/1 = Ethernet",
            "port-state mlx5_0/1 = Active",
            "port-physical-state mlx5_0/1 = LinkUp",
            "port-netdev mlx5_0/1 = ens1np0",
            "port-state mlx5_1/1 = Down",
            "port-physical-state mlx5_1/1 = Polling",
            "rdma-rx-write-requests mlx5_1/1 = 9",
        ]
    )


def test_ip_link() -> None:
    assert said(rdma_texts.IP_LINK) == snapshot(
        [
            "interface-admin-up ens1np0 = True",
            "interface-carrier ens1np0 = True",
            "interface-mtu ens1np0 = 9000",
            "interface-bond ens1np0 = bond0",
            "interface-state ens1np0 = up",
            "interface-kind ens1np0 = ether",
            "interface-address ens1np0 = a0:88:c2:11:22:33",
            "interface-rx-bytes ens1np0 = 12345678",
            "interface-rx-packets ens1np0 = 10000",
            "interface-rx-errors ens1np0 = 0",
            "interface-rx-dropped ens1np0 = 3",
            "interface-tx-bytes ens1np0 = 2345678",
            "interface-tx-packets ens1np0 = 9000",
            "interface-tx-errors ens1np0 = 1",
            "interface-tx-dropped ens1np0 = 0",
            "interface-admin-up ib0 = True",
            "interface-carrier ib0 = False",
            "interface-mtu ib0 = 2044",
            "interface-state ib0 = down",
            "interface-kind ib0 = infiniband",
            "interface-address ib0 = 00:00:10:29:fe:80:00:00:00:00:00:00:a0:88:c2:03:00:aa:00:10",
            "interface-ipv4 ib0 = 10.9.0.4",
            "interface-state ens7np0 = up",
            "interface-ipv4 ens7np0 = 10.4.0.9",
        ]
    )


def test_ip_json() -> None:
    assert said(rdma_texts.IP_JSON) == snapshot(
        [
            "interface-mtu ib0 = 2044",
            "interface-kind ib0 = infiniband",
            "interface-address ib0 = 00:00:10:29",
            "interface-state ib0 = up",
            "interface-admin-up ib0 = True",
            "interface-carrier ib0 = True",
            "interface-rx-bytes ib0 = 5",
            "interface-rx-errors ib0 = 0",
            "interface-tx-bytes ib0 = 6",
        ]
    )


def test_ethtool() -> None:
    assert said(rdma_texts.ETHTOOL) == snapshot(
        [
            "interface-speed ens1np0 = 200.0",
            "interface-duplex ens1np0 = full",
            "interface-autoneg ens1np0 = True",
            "interface-carrier ens1np0 = True",
            "priority-pause-received ens1np0/3 = 5",
            "priority-pause-sent ens1np0/3 = 9",
            "priority-discards ens1np0/3 = 1",
            "interface-pause-received ens1np0 = 14",
            "interface-rx-discards ens1np0 = 2",
            "interface-link-down-events ens1np0 = 3",
            "interface-rx-pause ens1np0 = True",
            "interface-tx-pause ens1np0 = False",
            "interface-driver ens1np0 = mlx5_core",
            "interface-driver-version ens1np0 = 24.10-1.1.4",
            "interface-firmware ens1np0 = 28.43.2026",
            "interface-bus-id ens1np0 = 0000:17:00.0",
            "interface-fec ens1np0 = RS",
        ]
    )


def test_ifconfig() -> None:
    assert said(rdma_texts.IFCONFIG) == snapshot(
        [
            "interface-admin-up ib0 = True",
            "interface-carrier ib0 = True",
            "interface-mtu ib0 = 2044",
            "interface-ipv4 ib0 = 10.9.0.4",
            "interface-kind ib0 = infiniband",
            "interface-address ib0 = 00:00:10:29:fe:80:00:00",
            "interface-rx-packets ib0 = 120",
            "interface-rx-bytes ib0 = 4711",
            "interface-rx-errors ib0 = 1",
            "interface-rx-dropped ib0 = 2",
            "interface-tx-packets ib0 = 9",
            "interface-tx-bytes ib0 = 99",
            "interface-tx-errors ib0 = 0",
            "interface-tx-dropped ib0 = 3",
        ]
    )


def test_mlnx_qos() -> None:
    assert said(rdma_texts.MLNX_QOS) == snapshot(["interface-trust ens1np0 = dscp", "interface-pfc ens1np0 = 3"])


def test_mst_status() -> None:
    assert said(rdma_texts.MST) == snapshot(
        [
            "hca-card mlx5_0 = ConnectX-7",
            "hca-bus-id mlx5_0 = 0000:17:00.0",
            "hca-numa-node mlx5_0 = 1",
            "port-netdev mlx5_0/1 = ib0",
        ]
    )


def test_show_counters() -> None:
    assert said(rdma_texts.COUNTERS) == snapshot(
        ["rdma-out-of-sequence mlx5_0/1 = 4", "port-xmit-data mlx5_0/1 = 32", "port-roce-tos mlx5_3/1 = 106"]
    )


def test_hca_lists() -> None:
    assert said(rdma_texts.LISTS) == snapshot(
        [
            "hca-node-guid mlx5_0 = a088c20300aa0010",
            "hca-present mlx5_0 = True",
            "hca-present mlx5_1 = True",
            "port-guid a088c20300aa0010 = a088c20300aa0010",
            "hca-bus-id mlx5_7 = 0000:16:00.0",
            "hca-node-guid a088c20300aa0044 = a088c20300aa0044 @node04",
        ]
    )


def test_kernel_file_listing() -> None:
    assert said(rdma_texts.PASTED_FILES) == snapshot(
        [
            "port-state mlx5_1/1 = Down",
            "port-physical-state mlx5_1/1 = Polling",
            "port-physical-state mlx5_2/1 = LinkUp",
            "interface-mtu ens1np0 = 9000",
            "port-rate mlx5_4/1 = 400.0",
            "port-width mlx5_4/1 = 4",
            "gid-value mlx5_4/1/3 = 0000:0000:0000:0000:0000:ffff:0a01:0204",
            "gid-ipv4 mlx5_4/1/3 = 10.1.2.4",
            "port-rate mlx5_3/1 = 200.0",
            "port-width mlx5_3/1 = 2",
            "port-lid mlx5_0/1 = 17",
        ]
    )


def test_port_loops() -> None:
    assert said(rdma_texts.LOOPS) == snapshot(
        [
            "port-state mlx5_4/1 = Active",
            "port-rate mlx5_4/1 = 200.0",
            "port-width mlx5_4/1 = 2",
            "port-state mlx5_5/1 = Active",
            "port-physical-state mlx5_5/1 = LinkUp",
            "port-rate mlx5_5/1 = 400.0",
            "port-width mlx5_5/1 = 4",
            "port-state mlx5_6/1 = Down",
            "port-physical-state mlx5_6/1 = Disabled",
            "hca-bus-id mlx5_6 = 0000:4b:00.0",
            "hca-numa-node mlx5_6 = 1",
            "hca-firmware mlx5_6 = 28.43.2026",
        ]
    )


def test_a_block_ends_at_another_tools_heading() -> None:
    ibstat = "\n".join(rdma_texts.IBSTAT.splitlines()[:17])
    text = f"{ibstat}\nhca_id: mlx5_9\n\tport: 1\n\t\tstate: PORT_DOWN (1)\n"
    assert [line for line in said(text) if line.startswith("port-state")] == snapshot(
        ["port-state mlx5_0/1 = Active", "port-state mlx5_9/1 = Down"]
    )


def test_the_same_keys_elsewhere_are_nobodys() -> None:
    assert said("State: Active\nRate: 400\nSpeed: 25000Mb/s\nRX: on\n4: ACTIVE\n    rx_prio3_pause: 5\n") == []


def test_nodes_that_print_at_the_same_time() -> None:
    lines = rdma_texts.IBSTAT.splitlines()[:17]
    text = "".join(f"node{n:02}: {line}\n" for line in lines for n in (1, 2))
    assert [line for line in said(text) if line.startswith("port-rate")] == snapshot(
        ["port-rate mlx5_0/1 = 400.0 @node01", "port-rate mlx5_0/1 = 400.0 @node02"]
    )


@given(text=st.sampled_from(TEXTS), keep=st.integers(0, 40), middle=st.integers(0, 200))
@settings(max_examples=60, deadline=None)
def test_cutting_never_raises_and_never_invents(text: str, keep: int, middle: int) -> None:
    lines = text.splitlines()[:keep]
    cut = "\n".join([*lines[:-1], lines[-1][:middle]]) if lines else ""
    whole, part = records(text), records(cut)
    (source,) = part.sources
    assert source.used + source.ignored + source.unread == source.lines
    known = {(r.attribute, r.part, r.value) for r in whole.readings}
    last = len(lines)
    assert {(r.attribute, r.part, r.value) for r in part.readings if r.ref.line < last} <= known


_WORDS = st.sampled_from([word for text in TEXTS for word in text.replace("\t", " ").split(" ") if word.strip()])


@given(st.lists(st.lists(_WORDS | st.text(max_size=8), max_size=8).map(" ".join), max_size=12).map("\n".join))
@settings(max_examples=80, deadline=None)
def test_any_words_give_a_result(text: str) -> None:
    (source,) = records(text).sources or (None,)
    assert source is None or source.used + source.ignored + source.unread == source.lines


def test_lines_that_grep_left_over() -> None:
    text = (
        "CA 'mlx4_0'\n\t\tState: Active\n\t\tRate: 56\n\t\tState: Down\n\t\tRate: 10\nCA 'mlx4_1'\n\t\tState: Active\n"
    )
    assert said(text) == snapshot(
        [
            "port-state mlx4_0/1 = Active",
            "port-rate mlx4_0/1 = 56.0",
            "port-state mlx4_0/2 = Down",
            "port-rate mlx4_0/2 = 10.0",
            "port-state mlx4_1/1 = Active",
        ]
    )


def test_brief_form_of_ip() -> None:
    address = ":".join(["00"] * 18 + ["a1", "b2"])
    assert said(f"ib0              DOWN           {address} <NO-CARRIER,BROADCAST,MULTICAST,UP>\n") == snapshot(
        [
            "interface-state ib0 = down",
            "interface-address ib0 = 00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:a1:b2",
            "interface-kind ib0 = infiniband",
        ]
    )


_KEYS = st.sampled_from(
    [
        "ifname",
        "ifindex",
        "port",
        "flags",
        "mtu",
        "operstate",
        "state",
        "node_guid",
        "stats64",
        "rx",
        "tx",
        "bytes",
        "addr_info",
        "family",
        "local",
        "fw",
        "lid",
    ]
)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_KEYS | st.text(max_size=6), inner, max_size=6),
    max_leaves=20,
)


@given(_JSON)
def test_any_json_gives_a_result(value: object) -> None:
    for document in (RdmaJson, IpJson):
        assert document.wants_document(value) in (True, False)
        assert all(r.ref.line == 7 for r in document().read(value, "t", 7))
