from __future__ import annotations

from inline_snapshot import snapshot
from job_findings import check
from port_texts import node, port
from text_findings import findings_of, remedies_of, said

from slowlink.inputs import Input
from slowlink.parsers.reading.read import read
from slowlink.workflows.analyze import report_of

RULE = "port-not-active"
FOUR = [line for n in range(4) for line in port(f"mlx5_{n}")]
DOWN = port("mlx5_4", "1: DOWN", "10")


def test_against_siblings_of_the_same_kind() -> None:
    assert said(RULE, node(1, *FOUR, *DOWN)) == snapshot(
        [
            (
                "port-down",
                "error",
                "likely",
                "gpu01: mlx5_4 is down (Polling) while 4 ports of the same kind on the node are Active",
            )
        ]
    )


def test_names_node_and_port() -> None:
    (found,) = findings_of(RULE, node(1, *FOUR, *DOWN))
    assert [(s.kind, s.name) for s in found.suspects] == snapshot([("port", "gpu01 mlx5_4/1"), ("node", "gpu01")])


def test_against_the_same_port_of_other_nodes() -> None:
    nodes = "".join(node(n, *port("mlx5_0"), *port("mlx5_1", type="MT41692")) for n in (1, 2, 3))
    odd = node(4, *port("mlx5_0"), *port("mlx5_1", "1: DOWN", "10", type="MT41692"))
    assert said(RULE, nodes + odd) == snapshot(
        [("port-down", "error", "likely", "gpu04: mlx5_1 is down (Polling) while it is Active on 3 other nodes")]
    )


def test_a_list_with_gaps_was_asked_for_ports_that_are_down() -> None:
    """``ibdev2netdev | grep Down`` shows no Active port of any node."""
    prompt = "[root@gpu01 ~]# ibdev2netdev{}\n"
    down = "mlx5_{0} port 1 ==> ens{0} (Down)\n"
    some = prompt.format(" | grep Down") + down.format(8)
    assert [found[1:3] for found in said(RULE, some)] == [("warning", "possible")]
    every = prompt.format("") + down.format(0) + down.format(1)
    assert [found[1:3] for found in said(RULE, every)] == [("error", "likely")]


def test_nccl_uses_the_hca_on_another_node() -> None:
    using = "gpu0{}:7:8 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/RoCE {}[RO]; OOB eth0:10.0.7.4<0>\n"
    down = "[root@gpu01 ~]# ibdev2netdev | grep -v Up\nmlx5_1 port 1 ==> ens1 (Down)\n"
    lists = using.format(1, "") + using.format(2, "[1]mlx5_1:1/RoCE ")
    assert said(RULE, lists + down) == snapshot(
        [
            (
                "port-down",
                "error",
                "likely",
                "gpu01: mlx5_1 is down while NCCL uses this HCA on 1 other node and not here",
            )
        ]
    )
    assert [found[1:3] for found in said(RULE, using.format(2, "[1]mlx5_1:1/RoCE ") + down)] == [
        ("warning", "possible")
    ]


def test_no_port_at_all() -> None:
    assert said(RULE, node(1, *DOWN)) == snapshot(
        [("port-down", "error", "likely", "gpu01: mlx5_4 is down (Polling) and no port of the node is Active")]
    )


def test_the_second_port_of_a_card_is_only_noted() -> None:
    text = node(1, *port("mlx5_0", guid="0001"), *port("mlx5_1", "1: DOWN", "10", guid="0001"))
    assert said(RULE, text) == snapshot(
        [
            (
                "port-down",
                "info",
                "possible",
                "gpu01: mlx5_1 is down (Polling) while another port of the same card is Active: perhaps not cabled by design",
            )
        ]
    )


def two_of_a_card(second: str) -> str:
    return (
        "mlx5_0 port 1 ==> ens1f0np0 (Up)\n"
        f"mlx5_1 port 1 ==> ens1f1np1 ({second})\n"
        "mlx5_2 port 1 ==> ens2f0np0 (Up)\n"
        f"mlx5_3 port 1 ==> ens2f1np1 ({second})\n"
    )


def on_node(number: int, text: str) -> str:
    return f"[root@gpu{number:02} ~]# ibdev2netdev\n{text}"


def test_second_ethernet_ports_without_a_cable_are_none() -> None:
    down = two_of_a_card("Down")
    assert said(RULE, down) == []
    assert said(RULE, on_node(1, down) + on_node(2, down)) == []


def test_a_first_port_that_is_down_beside_its_second_is_noted() -> None:
    text = "mlx5_9 port 1 ==> ens1f0np0 (Down)\nmlx5_10 port 1 ==> ens1f1np1 (Up)\n"
    assert [(cause, severity) for cause, severity, *_ in said(RULE, text)] == [("port-down", "info")]


def test_a_second_ethernet_port_that_another_node_has_active_is_noted() -> None:
    text = on_node(1, two_of_a_card("Down")) + on_node(2, two_of_a_card("Up"))
    assert [(cause, severity) for cause, severity, *_ in said(RULE, text)] == [("port-down", "info")]


def test_one_that_was_switched_off() -> None:
    assert said(RULE, node(1, *FOUR, *port("mlx5_4", "1: DOWN", "10", up="3: Disabled"))) == snapshot(
        [
            (
                "port-down",
                "error",
                "likely",
                "gpu01: mlx5_4 is down (Disabled) as somebody switched it off, while 4 ports of the same kind on the node are Active",
            )
        ]
    )


def test_ethernet_beside_infiniband_is_no_part_of_the_fabric() -> None:
    assert findings_of(RULE, node(1, *FOUR, *port("mlx5_4", "1: DOWN", "10", layer="Ethernet"))) == ()


def test_another_kind_of_card_may_be_unused() -> None:
    assert said(RULE, node(1, *FOUR, *port("mlx5_4", "1: DOWN", "10", type="MT4119"))) == snapshot(
        [("port-down", "warning", "possible", "gpu01: mlx5_4 is down (Polling) beside Active ones")]
    )


def test_active_ports_are_a_proof() -> None:
    assert [proof.message for proof in check(RULE, node(1, *FOUR)).proofs] == snapshot(
        ["4 ports are Active at 400 Gb/s"]
    )


def test_the_proof_names_no_rates_where_they_differ() -> None:
    two_rates = [*FOUR, *port("mlx5_4", rate="200")]
    assert [proof.message for proof in check(RULE, node(1, *two_rates)).proofs] == snapshot(["5 ports are Active"])


def test_only_the_interface_is_known() -> None:
    text = "".join(f"mlx5_{n} port 1 ==> ens{n}np0 ({'Down' if n == 3 else 'Up'})\n" for n in range(4))
    assert said(RULE, text) == snapshot(
        [("port-down", "error", "likely", "mlx5_3 is down while 3 ports of the same kind on the node are Active")]
    )


def test_ipoib_that_is_down_says_little() -> None:
    text = "".join(f"mlx5_{n} port 1 ==> ib{n} ({'Down' if n == 3 else 'Up'})\n" for n in range(4))
    assert said(RULE, text) == snapshot([("port-down", "warning", "possible", "mlx5_3 is down beside Active ones")])


def remedy(text: str) -> list[str]:
    return [step.command for step in findings_of(RULE, text)[0].remedy]


def test_the_remedy_names_an_hca_or_asks_which_one_it_is() -> None:
    assert remedy(node(1, *FOUR, *DOWN)) == snapshot(["rdma link; ibstat", "export NCCL_IB_HCA='^=mlx5_4'"])
    links = "".join(
        f"{n}: ib{n}: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 2044 qdisc mq state {state} mode DEFAULT group default qlen 256\n"
        f"    link/infiniband 00:00:00:00:fe:80:00:00:00:00:00:00:02:00:00:00:00:00:00:0{n} brd 00:ff:ff:ff:ff:12:40:1b"
        ":ff:ff:00:00:00:00:00:00:ff:ff:ff:ff\n"
        for n, state in ((1, "UP"), (2, "DOWN"))
    )
    assert remedy(f"[root@gpu01 ~]# ip -d link\n{links}") == snapshot(
        ["rdma link; ibstat", "ls /sys/class/net/ib2/device/infiniband", "export NCCL_IB_HCA='^=HCA'"]
    )


def test_both_ports_of_another_card_may_be_unused() -> None:
    pair = [*port("mlx5_4", "1: DOWN", "10", guid="0004"), *port("mlx5_5", "1: DOWN", "10", guid="0004")]
    single = [line for n in range(4) for line in port(f"mlx5_{n}", guid=f"000{n}")]
    assert [(f.severity, f.confidence) for f in findings_of(RULE, node(1, *single, *pair))] == [("warning", "possible")]


def test_all_of_infiniband_beside_ethernet() -> None:
    text = node(1, *DOWN, *port("mlx5_5", "1: DOWN", "10"), *port("mlx5_6", layer="Ethernet"))
    assert said(RULE, text) == snapshot(
        [
            (
                "port-down",
                "error",
                "likely",
                "gpu01: mlx5_4 and mlx5_5 are down (Polling) and no InfiniBand port of the node is Active",
            )
        ]
    )


def test_disabled_says_of_ethernet_only_that_there_is_no_link() -> None:
    ports = [line for n in range(4) for line in port(f"mlx5_{n}", layer="Ethernet")]
    down = port("mlx5_4", "1: DOWN", "40", layer="Ethernet", up="3: Disabled")
    assert [entry[3] for entry in said(RULE, node(1, *ports, *down))] == snapshot(
        ["gpu01: mlx5_4 is down (Disabled) while 4 ports of the same kind on the node are Active"]
    )


def test_ports_of_other_drivers_are_no_siblings() -> None:
    links = [
        f"link {name}/1 state ACTIVE physical_state LINK_UP netdev e{name}" for name in ("irdma0", "siw0", "irdma1")
    ]
    down = "link bnxt_re0/1 state DOWN physical_state DISABLED netdev e7"
    assert [entry[:3] for entry in said(RULE, "\n".join([*links, down]))] == snapshot(
        [("port-down", "warning", "possible")]
    )


def test_an_ethernet_port_of_rdma_link_beside_infiniband() -> None:
    link = "link mlx5_0/1 subnet_prefix fe80:0000:0000:0000 lid 7 sm_lid 1 lmc 0 state ACTIVE physical_state LINK_UP"
    assert findings_of(RULE, f"{link}\nlink mlx5_1/1 state DOWN physical_state DISABLED netdev ens9np0\n") == ()


def test_an_interface_that_nobody_switched_on_tells_nothing_of_its_port() -> None:
    address = ":".join(["00"] * 18 + ["a1", "b2"])
    text = f"4: ib1: <BROADCAST,MULTICAST> mtu 4092 qdisc noop state DOWN qlen 256\n    link/infiniband {address}\n"
    assert findings_of(RULE, text) == ()
    assert findings_of(RULE, text.replace("BROADCAST,", "NO-CARRIER,UP,")) != ()


def test_it_says_what_to_do() -> None:
    assert remedies_of(RULE, node(1, *FOUR, *DOWN)) == snapshot(
        [
            [
                ("See the state of all ports.", "rdma link; ibstat"),
                ("Run without this HCA until it is fixed.", "export NCCL_IB_HCA='^=mlx5_4'"),
            ]
        ]
    )


def test_one_active_port_without_a_rate_proves_no_health() -> None:
    bare = "hca_id:\tmlx5_0\n\t\tport:\t1\n\t\t\tstate:\t\t\tPORT_ACTIVE (4)\n\t\t\tlink_layer:\t\tInfiniBand\n"
    two = bare + bare.replace("mlx5_0", "mlx5_1")
    assert [proof.weight for text in (bare, two) for proof in check(RULE, text).proofs] == [0, 1]
    some = node(1, *port("mlx5_0"), "/sys/class/infiniband/mlx5_1/ports/1/state:4: ACTIVE")
    assert [(proof.message, proof.weight) for proof in check(RULE, some).proofs] == [("2 ports are Active", 1)]


def verdict_of(text: str) -> tuple[str, str]:
    report = report_of(read([Input("ports.txt", None, [text.encode()])], workers=1))
    return report.verdict, report.headline


def test_all_ports_that_are_shown_are_sound() -> None:
    up = "mlx5_0 port 1 ==> ib0 (Up)\nmlx5_1 port 1 ==> ib1 (Up)\n"
    assert verdict_of(up) == snapshot(("healthy", "healthy: 2 ports are Active"))
    down = "mlx5_0 port 1 ==> ib0 (Up)\nmlx5_1 port 1 ==> ib1 (Down)\n"
    assert verdict_of(up + down.replace("mlx5_0", "mlx5_2").replace("mlx5_1", "mlx5_3"))[0] == "inconclusive"


def test_a_port_that_is_noted_leaves_active_ones_open() -> None:
    two_cards = [*port("mlx5_0", guid="0001"), *port("mlx5_2", guid="0002")]
    assert verdict_of(node(1, *two_cards)) == snapshot(("healthy", "healthy: 2 ports are Active at 400 Gb/s"))
    assert verdict_of(node(1, *two_cards, *port("mlx5_1", "1: DOWN", "10", guid="0001"))) == snapshot(
        (
            "inconclusive",
            "inconclusive: gpu01: mlx5_1 is down (Polling) while another port of the same card is Active: perhaps not cabled by design",
        )
    )


def test_a_port_that_was_only_counted_may_be_a_spare_one_beside_a_whole_board() -> None:
    tally = "[a@n1 ~]$ ibstat | grep State: | sort | uniq -c\n      {} \t\tState: Active\n      1 \t\tState: Down\n"
    assert [found[1:3] for found in said("port-not-active", tally.format(8))] == [("warning", "possible")]
    assert [found[1:3] for found in said("port-not-active", tally.format(7))] == [("error", "likely")]


def test_of_several_one_setting_leaves_all_of_them_out() -> None:
    up = [f"mlx5_{n} port 1 ==> ibs{n} (Up)\n" for n in (0, 3, 4, 5)]
    down = ["mlx5_1 port 1 ==> ens1f0np0 (Down)\n", "mlx5_2 port 1 ==> ens2f0np0 (Down)\n"]
    text = "root@gpu07:~# ibdev2netdev\n" + "".join(up) + "".join(down)
    commands = {command for remedy in remedies_of("port-not-active", text) for _, command in remedy}
    assert commands == {"rdma link; ibstat", "export NCCL_IB_HCA='^=mlx5_1,mlx5_2'"}


def test_no_hca_is_left_out_for_a_doubt() -> None:
    text = "root@gpu07:~# ibdev2netdev\nmlx5_0 port 1 ==> ibs0 (Up)\nmlx5_1 port 1 ==> ibs1 (Down)\n"
    assert remedies_of("port-not-active", text) == [[("See the state of all ports.", "rdma link; ibstat")]]


def test_a_port_that_is_active_over_a_link_that_is_not_up() -> None:
    text = node(1, *FOUR).replace(
        "mlx5_2/ports/1/phys_state:5: LinkUp", "mlx5_2/ports/1/phys_state:6: LinkErrorRecovery"
    )
    assert said(RULE, text) == snapshot(
        [
            (
                "port-down",
                "warning",
                "possible",
                "gpu01: mlx5_2: Active, while the physical state of the link is LinkErrorRecovery",
            )
        ]
    )
