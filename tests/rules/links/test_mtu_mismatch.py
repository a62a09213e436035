from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

from slowlink.rules.links.roce_mtu import roce_mtu

RULE = "mtu-mismatch"


def devinfo(*mtus: int, layer: str = "Ethernet", host: str = "") -> str:
    prompt = f"[root@{host} ~]# ibv_devinfo\n" if host else ""
    return prompt + "".join(
        f"hca_id:\tmlx5_{n}\n\t\tport:\t1\n\t\t\tstate:\t\t\tPORT_ACTIVE (4)\n\t\t\tactive_mtu:\t\t{mtu} (5)\n"
        f"\t\t\tlink_layer:\t\t{layer}\n"
        for n, mtu in enumerate(mtus)
    )


def test_against_other_nodes() -> None:
    nodes = [devinfo(4096, host="gpu01"), devinfo(4096, host="gpu02"), devinfo(1024, host="gpu03")]
    assert said(RULE, *nodes) == snapshot(
        [("mtu-mismatch", "error", "likely", "gpu03: mlx5_0 uses MTU 1024 while most other nodes have 4096")]
    )


def test_within_a_node_is_a_warning() -> None:
    assert said(RULE, devinfo(4096, 4096, 1024)) == snapshot(
        [("mtu-mismatch", "warning", "possible", "mlx5_2 uses MTU 1024 while its siblings on the node have 4096")]
    )


def test_a_difference_between_nodes_hides_none_within_a_node() -> None:
    nodes = [devinfo(4096, 4096, host=f"gpu0{n}") for n in (1, 2)]
    third = devinfo(1024, 4096, host="gpu03")
    lone = devinfo(4096, 4096, 4096, 2048, host="gpu04")
    assert said(RULE, *nodes, third, lone) == snapshot(
        [
            ("mtu-mismatch", "error", "likely", "gpu03: mlx5_0 uses MTU 1024 while most other nodes have 4096"),
            (
                "mtu-mismatch",
                "warning",
                "possible",
                "gpu04: mlx5_3 uses MTU 2048 while its siblings on the node have 4096",
            ),
        ]
    )


def test_differences_within_two_nodes_are_one_finding_and_of_two_kinds_two() -> None:
    twice = [devinfo(4096, 4096, 1024, host="gpu01"), devinfo(4096, 4096, 1024, host="gpu02")]
    assert said(RULE, *twice) == snapshot(
        [
            (
                "mtu-mismatch",
                "warning",
                "possible",
                "gpu[01-02]: mlx5_2 uses MTU 1024 while its siblings on the node have 4096",
            )
        ]
    )
    kinds = devinfo(4096, 4096, 1024) + devinfo(2048, 2048, 512, layer="InfiniBand").replace("mlx5_", "mlx5_1")
    assert said(RULE, kinds) == snapshot(
        [
            ("mtu-mismatch", "warning", "possible", "mlx5_2 uses MTU 1024 while its siblings on the node have 4096"),
            ("mtu-mismatch", "warning", "possible", "mlx5_12 uses MTU 512 while its siblings on the node have 2048"),
        ]
    )


def test_ports_of_one_name_and_two_link_layers_are_not_compared() -> None:
    nodes = [devinfo(1024, host="gpu01"), *(devinfo(4096, layer="InfiniBand", host=f"gpu0{n}") for n in (2, 3))]
    assert findings_of(RULE, *nodes) == ()


def test_a_second_fabric_is_compared_as_well() -> None:
    """The same name is RoCE on three nodes and InfiniBand on three more; one of each is odd."""
    roce = [devinfo(mtu, host=f"gpu0{n}") for n, mtu in enumerate((4096, 4096, 1024), 1)]
    fabric = [devinfo(mtu, layer="InfiniBand", host=f"gpu0{n}") for n, mtu in enumerate((2048, 2048, 4096), 4)]
    assert said(RULE, *roce, *fabric) == snapshot(
        [
            ("mtu-mismatch", "error", "likely", "gpu03: mlx5_0 uses MTU 1024 while most other nodes have 4096"),
            ("mtu-mismatch", "error", "likely", "gpu06: mlx5_0 uses MTU 4096 while most other nodes have 2048"),
        ]
    )


def interface(mtu: int, host: str, port_mtu: int = 4096) -> str:
    """A RoCE port, its interface, and the MTU of that."""
    return devinfo(port_mtu, host=host) + (
        f"[root@{host} ~]# ibdev2netdev\nmlx5_0 port 1 ==> ens1np0 (Up)\n"
        f"[root@{host} ~]# ip link\n"
        f"2: ens1np0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu {mtu} qdisc mq state UP mode DEFAULT group default qlen 1000\n"
        "    link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff\n"
    )


def rdma_link(mtu: int, host: str, port: int = 0) -> str:
    """A RoCE port of which no tool shows the MTU, and its interface."""
    name = f"ens{port + 1}np0"
    return (
        f"[root@{host} ~]# rdma link\n"
        f"link mlx5_{port}/1 state ACTIVE physical_state LINK_UP netdev {name}\n"
        f"[root@{host} ~]# ip link\n"
        f"2: {name}: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu {mtu} qdisc mq state UP mode DEFAULT group default qlen 1000\n"
    )


def test_the_mtu_of_roce_follows_from_the_interface_where_no_tool_shows_it() -> None:
    nodes = [rdma_link(9000, "gpu01"), rdma_link(9000, "gpu02"), rdma_link(1500, "gpu03")]
    (found,) = findings_of(RULE, *nodes)
    assert said(RULE, *nodes) == snapshot(
        [
            (
                "mtu-mismatch",
                "error",
                "likely",
                "gpu03: mlx5_0 uses MTU 1024 (its interface has 1500) while most other nodes have 4096",
            )
        ]
    )
    assert found.explains == ("busbw-below-expected", "gid-index-wrong")
    assert [(e.observed, e.expected) for e in found.evidence] == snapshot(
        [("MTU of interface ens1np0: 1500 B", "4096 for RoCE")]
    )
    assert [(s.kind, s.name) for s in found.suspects] == snapshot([("interface", "gpu03 ens1np0"), ("node", "gpu03")])


def test_of_two_nodes_the_larger_mtu_is_the_usual_one() -> None:
    assert said(RULE, rdma_link(9000, "gpu01"), rdma_link(1500, "gpu02")) == snapshot(
        [
            (
                "mtu-mismatch",
                "error",
                "likely",
                "gpu02: mlx5_0 uses MTU 1024 (its interface has 1500) while most other nodes have 4096",
            )
        ]
    )


def test_an_mtu_that_was_read_is_compared_with_one_that_follows_from_the_interface() -> None:
    nodes = [interface(9000, "gpu01"), interface(9000, "gpu02"), rdma_link(1500, "gpu03")]
    assert said(RULE, *nodes) == snapshot(
        [
            (
                "mtu-mismatch",
                "error",
                "likely",
                "gpu03: mlx5_0 uses MTU 1024 (its interface has 1500) while most other nodes have 4096",
            )
        ]
    )


def test_siblings_by_their_interfaces() -> None:
    assert said(RULE, *(rdma_link(1500 if n > 1 else 9000, "gpu01", n) for n in range(4))) == snapshot(
        [
            (
                "mtu-mismatch",
                "warning",
                "possible",
                "gpu01: mlx5_2 and mlx5_3 use MTU 1024 (their interfaces have 1500) while their siblings on the node have 4096",
            )
        ]
    )


def test_interfaces_of_the_same_mtu_of_roce_are_a_note() -> None:
    nodes = [rdma_link(9000, "gpu01"), rdma_link(9000, "gpu02"), rdma_link(4192, "gpu03"), rdma_link(1500, "gpu04")]
    assert said(RULE, *nodes) == snapshot(
        [
            (
                "mtu-mismatch",
                "error",
                "likely",
                "gpu04: mlx5_0 uses MTU 1024 (its interface has 1500) while most other nodes have 4096",
            ),
            (
                "mtu-mismatch",
                "info",
                "possible",
                "gpu03: interface ens1np0 uses MTU 4192 while most other nodes have 9000",
            ),
        ]
    )


def test_the_mtu_of_ipoib_is_not_that_of_rdma() -> None:
    nodes = [rdma_link(mtu, f"gpu0{n}").replace("ens1np0", "ib0") for n, mtu in ((1, 2044), (2, 2044), (3, 4092))]
    nodes = [node.replace("mlx5_0/1 state", "mlx5_0/1 lid 4 sm_lid 1 lmc 0 state") for node in nodes]
    assert said(RULE, *nodes) == snapshot(
        [
            (
                "mtu-mismatch",
                "warning",
                "possible",
                "gpu03: IPoIB interface ib0 uses MTU 4092 while most other nodes have 2044",
            )
        ]
    )


@pytest.mark.parametrize(
    ("interface_mtu", "mtu"),
    [(351, None), (352, 256), (1500, 1024), (2143, 1024), (2144, 2048), (4191, 2048), (4192, 4096), (65520, 4096)],
)
def test_the_largest_mtu_of_rdma_that_fits(interface_mtu: int, mtu: int | None) -> None:
    assert roce_mtu(interface_mtu) == mtu


def test_interfaces_that_differ_where_rdma_does_not_are_a_note() -> None:
    nodes = [interface(9000, "gpu01"), interface(9000, "gpu02"), interface(4200, "gpu03")]
    assert said(RULE, *nodes) == snapshot(
        [
            (
                "mtu-mismatch",
                "info",
                "possible",
                "gpu03: interface ens1np0 uses MTU 4200 while most other nodes have 9000",
            )
        ]
    )


def test_an_interface_that_lowers_its_port_is_reported_once() -> None:
    nodes = [interface(9000, "gpu01"), interface(9000, "gpu02"), interface(1500, "gpu03", port_mtu=1024)]
    assert said(RULE, *nodes) == snapshot(
        [("mtu-mismatch", "error", "likely", "gpu03: mlx5_0 uses MTU 1024 while most other nodes have 4096")]
    )


def test_silent_on_interfaces_of_management() -> None:
    nodes = [
        devinfo(4096, host=f"gpu0{n}")
        + f"[root@gpu0{n} ~]# ip link\n2: eno1: <BROADCAST,UP,LOWER_UP> mtu {mtu} qdisc mq state UP mode DEFAULT\n"
        for n, mtu in ((1, 9000), (2, 1500))
    ]
    assert findings_of(RULE, *nodes) == ()


def asked(mtu: int, host: str, hca: str = "mlx5_3") -> str:
    """Nothing but the MTU of one port."""
    return f"[root@{host} ~]# ibv_devinfo -d {hca} | grep active_mtu\n\t\t\tactive_mtu:\t\t{mtu} (5)\n"


def shown(mtu: int, host: str, name: str = "ens3f0np0", state: str = "UP") -> str:
    """Nothing but one interface."""
    flags = "BROADCAST,MULTICAST,UP,LOWER_UP" if state == "UP" else "BROADCAST,MULTICAST"
    return f"[root@{host} ~]# ip link show {name}\n4: {name}: <{flags}> mtu {mtu} qdisc mq state {state} mode DEFAULT\n"


def test_the_mtu_alone_is_enough() -> None:
    assert said(RULE, asked(4096, "gpu01"), asked(2048, "gpu02"), asked(4096, "gpu03")) == snapshot(
        [("mtu-mismatch", "error", "likely", "gpu02: mlx5_3 uses MTU 2048 while most other nodes have 4096")]
    )
    assert findings_of(RULE, asked(4096, "gpu01"), asked(1024, "gpu02", "mlx5_4")) == ()


def test_an_interface_that_differs_in_the_same_way_is_named() -> None:
    nodes = [(4096, 9000, "gpu01"), (1024, 1500, "gpu02"), (4096, 9000, "gpu03")]
    (found,) = findings_of(RULE, *(asked(mtu, host) + shown(of_interface, host) for mtu, of_interface, host in nodes))
    assert (found.message, [e.observed for e in found.evidence]) == snapshot(
        (
            "gpu02: mlx5_3 uses MTU 1024 while most other nodes have 4096; ens3f0np0 there has 1500, and 9000 on the others",
            ["MTU in use of port mlx5_3/1: 1024 B", "MTU of interface ens3f0np0: 1500 B"],
        )
    )


def test_interfaces_alone_are_possible_and_where_ports_agree_silent() -> None:
    nodes = [shown(9000, "gpu01"), shown(9000, "gpu02"), shown(1500, "gpu03")]
    assert said(RULE, *nodes) == snapshot(
        [
            (
                "mtu-mismatch",
                "warning",
                "possible",
                "gpu03: interface ens3f0np0 uses MTU 1500 while most other nodes have 9000",
            )
        ]
    )
    assert findings_of(RULE, *(node + asked(4096, f"gpu0{n}") for n, node in enumerate(nodes, 1))) == ()


@pytest.mark.parametrize(
    "odd",
    [
        shown(4200, "gpu03"),
        shown(1500, "gpu03", state="DOWN"),
        shown(1500, "gpu03", "ens3f1np1"),
    ],
)
def test_silent_on_interfaces_over_which_rdma_would_be_alike_or_that_are_not_the_same(odd: str) -> None:
    assert findings_of(RULE, shown(9000, "gpu01"), shown(9000, "gpu02"), odd) == ()


@pytest.mark.parametrize("name", ["docker0", "virbr0", "ib0.8001", "veth81a", "cni0"])
def test_silent_on_interfaces_of_no_card_and_partitions(name: str) -> None:
    assert findings_of(RULE, shown(9000, "gpu01", name), shown(1500, "gpu02", name), shown(9000, "gpu03", name)) == ()


def test_silent_on_other_link_layers_and_equal_ones() -> None:
    mixed = devinfo(1024) + devinfo(4096, 4096, layer="InfiniBand").replace("mlx5_0", "mlx5_8")
    assert findings_of(RULE, mixed) == ()


def test_it_says_what_to_do() -> None:
    assert remedies_of(RULE, devinfo(4096, 4096, 1024)) == snapshot(
        [[("Compare both ends.", "ibv_devinfo | grep -E 'hca_id|active_mtu'; ip link | grep mtu")]]
    )


def ipoib(host: str, *mtus: int) -> str:
    return f"[root@{host} ~]# ip -d link\n" + "".join(
        f"{number + 3}: ib{number}: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu {mtu} qdisc mq state UP mode DEFAULT group "
        f"default qlen 256\n    link/infiniband 00:00:10:29:fe:80:00:00:00:00:00:00:a0:88:c2:03:00:4f:4d:{number:02} brd "
        "00:ff:ff:ff:ff:12:40:1b:ff:ff:00:00:00:00:00:00:ff:ff:ff:ff\n"
        for number, mtu in enumerate(mtus)
    )


def test_ipoib_of_siblings_and_of_other_nodes() -> None:
    assert said(RULE, ipoib("gpu01", 2044, 2044, 4092)) == snapshot(
        [
            (
                "mtu-mismatch",
                "warning",
                "possible",
                "gpu01: IPoIB interface ib2 uses MTU 4092 while its siblings on the node have 2044",
            )
        ]
    )
    nodes = [ipoib("gpu01", 2044, 2044), ipoib("gpu02", 2044, 2044), ipoib("gpu03", 2044, 65520)]
    assert said(RULE, *nodes) == snapshot(
        [
            (
                "mtu-mismatch",
                "warning",
                "possible",
                "gpu03: IPoIB interface ib1 uses MTU 65520 while most other nodes have 2044",
            )
        ]
    )
    assert said(RULE, ipoib("gpu01", 2044, 2044), ipoib("gpu02", 2044, 2044)) == []
