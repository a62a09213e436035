from __future__ import annotations

from inline_snapshot import snapshot
from port_texts import node, port
from text_findings import findings_of, remedies_of, said

RULE = "port-unconfigured"
INIT = {"state": "2: INIT", "lid": "0x0", "sm_lid": "0x0"}


def test_no_port_is_configured() -> None:
    text = node(1, *port("mlx5_0", **INIT), *port("mlx5_1", **INIT))
    assert said(RULE, text) == snapshot(
        [
            (
                "subnet-manager-missing",
                "critical",
                "certain",
                "gpu01: mlx5_0 and mlx5_1 have their link and stay in Init: no subnet manager has configured any port",
            )
        ]
    )


def test_others_are_configured() -> None:
    assert said(RULE, node(1, *port("mlx5_0", **INIT), *port("mlx5_1"))) == snapshot(
        [
            (
                "subnet-manager-missing",
                "error",
                "certain",
                "gpu01: mlx5_0 has its link and stays in Init: the subnet manager has not configured it",
            )
        ]
    )


def test_silent_on_ethernet_and_on_ports_without_a_link() -> None:
    ethernet = port("mlx5_0", layer="Ethernet", lid="0x0", sm_lid="0x0")
    assert findings_of(RULE, node(1, *ethernet, *port("mlx5_1", "1: DOWN", "10"))) == ()


def test_ibstat_says_initializing() -> None:
    text = "CA 'mlx5_0'\n\tPort 1:\n\t\tState: Initializing\n\t\tPhysical state: LinkUp\n\t\tLink layer: InfiniBand\n"
    assert [f.cause for f in findings_of(RULE, text)] == ["subnet-manager-missing"]


def test_it_says_what_to_do() -> None:
    assert remedies_of(RULE, node(1, *port("mlx5_0", **INIT), *port("mlx5_1"))) == snapshot(
        [[("See whether a subnet manager answers.", "sminfo"), ("See who runs one.", "systemctl status opensm")]]
    )


def test_two_ports_among_configured_ones() -> None:
    text = node(1, *port("mlx5_0", **INIT), *port("mlx5_1", **INIT), *port("mlx5_2"))
    assert [entry[3] for entry in said(RULE, text)] == snapshot(
        ["gpu01: mlx5_0 and mlx5_1 have their link and stay in Init: the subnet manager has not configured them"]
    )
