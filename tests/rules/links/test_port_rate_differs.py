from __future__ import annotations

from inline_snapshot import snapshot
from port_texts import node, port
from text_findings import findings_of, remedies_of, said

RULE = "port-rate-differs"
FOUR = [line for n in range(4) for line in port(f"mlx5_{n}")]


def test_against_siblings() -> None:
    assert said(RULE, node(1, *FOUR, *port("mlx5_4", rate="200"))) == snapshot(
        [
            (
                "port-rate-low",
                "error",
                "likely",
                "gpu01: mlx5_4 runs at 200 of 400 Gb/s, the rate of its siblings on the node",
            )
        ]
    )


def test_against_other_nodes() -> None:
    nodes = "".join(node(n, *port("mlx5_0"), *port("mlx5_1")) for n in (1, 2, 3))
    assert said(RULE, nodes + node(4, *port("mlx5_0", rate="200"), *port("mlx5_1"))) == snapshot(
        [
            (
                "port-rate-low",
                "error",
                "certain",
                "gpu04: mlx5_0 runs at 200 of 400 Gb/s, the rate of this port on other nodes",
            )
        ]
    )


def test_half_of_them_is_a_warning() -> None:
    assert said(RULE, node(1, *port("mlx5_0"), *port("mlx5_1", rate="200"))) == snapshot(
        [
            (
                "port-rate-low",
                "warning",
                "possible",
                "gpu01: mlx5_1 runs at 200 of 400 Gb/s, the rate of others on the node",
            )
        ]
    )


def test_half_of_them_is_an_error_where_the_other_node_is_faster_there() -> None:
    nodes = node(1, *port("mlx5_0"), *port("mlx5_1", rate="200")) + node(2, *port("mlx5_0"), *port("mlx5_1"))
    assert said(RULE, nodes) == snapshot(
        [
            (
                "port-rate-low",
                "error",
                "likely",
                "gpu01: mlx5_1 runs at 200 of 400 Gb/s, the rate of its siblings on the node",
            )
        ]
    )


def test_silent_on_another_fabric_another_card_and_a_port_without_link() -> None:
    fabric = [line for n in range(3) for line in port(f"mlx5_{n}", sm_lid="0x1")]
    others = [
        *port("mlx5_5", rate="100", sm_lid="0x9"),
        *port("mlx5_6", rate="100", sm_lid="0x1", type="MT4119"),
        *port("mlx5_7", rate="100", layer="Ethernet"),
        *port("mlx5_8", "1: DOWN", rate="10", sm_lid="0x1"),
    ]
    assert findings_of(RULE, node(1, *fabric, *others)) == ()


def test_silent_on_the_storage_card_of_the_same_type() -> None:
    pair = [*port("mlx5_4", rate="200", guid="0004"), *port("mlx5_5", rate="200", guid="0004")]
    single = [line for n in range(4) for line in port(f"mlx5_{n}", guid=f"000{n}")]
    assert findings_of(RULE, node(1, *single, *pair)) == ()


def rates_alone(**rates: str) -> list[str]:
    return [f"/sys/class/infiniband/{hca}/ports/1/rate:{rate} Gb/sec (4X)" for hca, rate in rates.items()]


def test_where_only_rates_are_known_the_same_ports_of_another_node_tell_their_kinds() -> None:
    known = node(1, *FOUR, *port("mlx5_4", rate="25", layer="Ethernet", type="MT4127"))
    rates = {"mlx5_0": "400", "mlx5_1": "400", "mlx5_2": "400"}
    assert said(RULE, known + node(2, *rates_alone(**rates, mlx5_3="400", mlx5_4="25"))) == []
    assert said(RULE, known + node(2, *rates_alone(**rates, mlx5_3="200", mlx5_4="25"))) == snapshot(
        [
            (
                "port-rate-low",
                "error",
                "likely",
                "gpu02: mlx5_3 runs at 200 of 400 Gb/s, the rate of its siblings on the node",
            )
        ]
    )


def test_seven_and_one_are_eight_rails_and_eight_and_one_are_not() -> None:
    rates = {f"mlx5_{n}": "400" for n in range(8)}

    def severities(**told: str) -> list[str]:
        return [severity for _, severity, _, _ in said(RULE, node(1, *rates_alone(**told)))]

    assert severities(**{**rates, "mlx5_2": "200"}) == ["error"]
    assert severities(**rates, mlx5_8="200") == ["warning"]
    assert severities(**{**rates, "mlx5_2": "200", "mlx5_3": "200"}) == ["warning"]


def test_nodes_that_are_built_otherwise_tell_nothing() -> None:
    unlike = node(1, *port("mlx5_0", layer="Ethernet")) + node(2, *port("mlx5_0", type="MT4123", rate="200"))
    found = said(RULE, unlike + node(3, *rates_alone(mlx5_0="200", mlx5_1="400", mlx5_2="400")))
    assert [(severity, message) for _, severity, _, message in found] == snapshot(
        [("warning", "gpu03: mlx5_0 runs at 200 of 400 Gb/s, the rate of others on the node")]
    )


def test_it_says_what_to_do() -> None:
    assert remedies_of(RULE, node(1, *FOUR, *port("mlx5_4", rate="200"))) == snapshot(
        [[("Read the link's state and counters.", "mlxlink -d mlx5_4 -c -e -m")]]
    )
