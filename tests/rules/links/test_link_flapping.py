from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, said

FAILED = (
    "node07:4711:4712 [0] NCCL WARN NET/IB : mlx5_2:1 Got async event : port error\n"
    "node07:4711:4712 [0] NCCL WARN NET/IB : mlx5_2:1 Got async event : port active\n"
)

FINE = "node07:4711:4712 [0] NCCL WARN NET/IB : mlx5_2:1 Got async event : port active\n"


def test_counts_the_flaps() -> None:
    assert said("link-flapping", FAILED) == snapshot(
        [("link-flapping", "error", "certain", "node07: mlx5_2 lost its link 1 time and got it back")]
    )


def test_silent_on_a_port_that_comes_up() -> None:
    assert findings_of("link-flapping", FINE) == ()


def test_from_the_kernel_log() -> None:
    text = "mlx5_core 0000:12:00.0 ens1np0: Link down\nmlx5_core 0000:12:00.0 ens1np0: Link up\n"
    assert said("link-flapping", text) == snapshot(
        [("link-flapping", "error", "certain", "ens1np0 lost its link 1 time and got it back")]
    )


def lost(interface: str, count: int) -> str:
    """What systemd-networkd logs; the stamps differ."""
    return "".join(
        f"Mar  3 0{n}:10:0{n} node07 systemd-networkd[812]: {interface}: Lost carrier\n"
        f"Mar  3 0{n}:10:2{n} node07 systemd-networkd[812]: {interface}: Gained carrier\n"
        for n in range(count)
    )


def test_lost_carriers_count() -> None:
    assert said("link-flapping", lost("ib3", 5)) == snapshot(
        [("link-flapping", "error", "certain", "node07: ib3 lost its link 5 times and got it back")]
    )
    assert said("link-flapping", lost("ib3", 2)) == snapshot(
        [("link-flapping", "warning", "likely", "node07: ib3 lost its link 2 times and got it back")]
    )


def test_silent_on_management_and_containers() -> None:
    assert findings_of("link-flapping", lost("eno1", 8), lost("veth12ab", 8), lost("docker0", 8)) == ()


def test_two_programs_that_log_one_loss() -> None:
    text = (
        "mlx5_core 0000:12:00.0 ens1np0: Link down\nbond0: (slave ens1np0): link status definitely down, disabling slave\n"
        "mlx5_core 0000:12:00.0 ens1np0: Link up\nbond0: (slave ens1np0): link status definitely up, 400000 Mbps\n"
    )
    assert [f.message for f in findings_of("link-flapping", text)] == snapshot(
        ["ens1np0 lost its link 1 time and got it back"]
    )


def test_one_loss_while_the_node_starts_is_a_warning() -> None:
    text = "".join(
        f"[    8.{n}] mlx5_core 0000:1{n}:00.0 ens{n}np0: Link down\n[    9.{n}] mlx5_core 0000:1{n}:00.0 ens{n}np0: Link up\n"
        for n in (1, 2)
    )
    assert said("link-flapping", text) == snapshot(
        [("link-flapping", "warning", "likely", "ens1np0 and ens2np0 lost their link 2 times and got it back")]
    )
