from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, said

FAILED = "node07:4711:4712 [0] NCCL WARN NET/IB : mlx5_2:1 Got async event : port error\n"

FINE = (
    "node07:4711:4712 [0] NCCL WARN NET/IB : mlx5_2:1 Got async event : port error\n"
    "node07:4711:4712 [0] NCCL WARN NET/IB : mlx5_2:1 Got async event : port active\n"
)


def remedies(text: str) -> list[tuple[str, str]]:
    return [(step.text, step.command) for found in findings_of("port-down", text) for step in found.remedy]


def test_names_the_port() -> None:
    assert said("port-down", FAILED) == snapshot(
        [("port-down", "critical", "likely", "node07: mlx5_2 is down and did not come back")]
    )


def test_the_remedy_leaves_this_hca_out() -> None:
    assert remedies(FAILED) == snapshot(
        [
            ("See the state of all ports.", "rdma link; ibstat"),
            ("Run without this HCA until it is fixed.", "export NCCL_IB_HCA='^=mlx5_2'"),
        ]
    )


def test_the_remedy_for_an_interface_asks_for_its_hca_because_nccl_takes_no_interface() -> None:
    assert remedies("mlx5_core 0000:12:00.0 ens1np0: Link down\n") == snapshot(
        [
            ("See the state of all ports.", "rdma link; ibstat"),
            ("See which HCA this is the port of.", "ls /sys/class/net/ens1np0/device/infiniband"),
            ("Run without that HCA until it is fixed.", "export NCCL_IB_HCA='^=HCA'"),
        ]
    )


def test_what_ufm_names_cannot_be_left_out_by_a_variable() -> None:
    text = (
        "2026-01-01 12:00:00.100 [77] [329] INFO [Link] IBPort [default(3) / Switch: leafa / NA / 8] [dev_id: 0c42]: "
        "Link went down: (Switch:leafa:8) to (Computer:gpu01 HCA-1:1)\n"
    )
    assert said("port-down", text) == snapshot(
        [("port-down", "warning", "likely", "leafa:8 is down and did not come back")]
    )
    assert remedies(text) == snapshot([("See the state of all ports.", "rdma link; ibstat")])


def test_several_ports_are_down() -> None:
    text = FAILED + FAILED.replace("mlx5_2", "mlx5_3")
    assert said("port-down", text) == snapshot(
        [("port-down", "critical", "likely", "node07: mlx5_2 and mlx5_3 are down and did not come back")]
    )


def test_silent_on_a_port_that_came_back() -> None:
    assert findings_of("port-down", FINE) == ()


def test_the_kernels_word_on_any_interface_is_a_warning() -> None:
    found = findings_of("port-down", "mlx5_core 0000:12:00.0 ens1np0: Link down\n")
    assert [f.severity for f in found] == ["warning"]


def test_a_port_that_waits_for_its_subnet_manager() -> None:
    """perftest refuses to run over it."""
    text = "[root@gpu01 ~]# ib_write_bw -d mlx5_0\n Port number 1 state is Init\n Couldn't set the link layer\n"
    assert said("port-down", text) == snapshot(
        [
            (
                "subnet-manager-missing",
                "critical",
                "likely",
                "a port has its link and stays in state Init: no subnet manager has configured it",
            )
        ]
    )
    assert remedies(text) == snapshot([("See whether a subnet manager answers.", "sminfo")])


BOOT = "Mar  3 01:00:00 node07 kernel: Linux version 6.8.0-31-generic (build@host) (gcc 13.2.0)\n"
CARRIER = "Mar  3 01:00:09 node07 systemd-networkd[812]: ens9f1: Lost carrier\n"
PORT = "Mar  3 01:00:1{n} node07 kernel: mlx5_core 0000:{n}2:00.0 ens{n}np0: Link {state}\n"


def test_a_port_that_was_never_up_since_the_start_is_not_lost() -> None:
    assert findings_of("port-down", BOOT + CARRIER) == ()
    assert findings_of("port-down", BOOT + PORT.format(n=1, state="down")) == ()


def test_a_port_that_did_not_come_up_as_others_did() -> None:
    log = BOOT + PORT.format(n=1, state="down") + PORT.format(n=2, state="down") + PORT.format(n=2, state="up")
    (found,) = said("port-down", log)
    assert found == (
        "port-down",
        "warning",
        "possible",
        "node07: ens1np0 did not come up since the driver began, while other ports did",
    )
