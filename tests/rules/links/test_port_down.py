from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, said

FAILED = "node07:4711:4712 [0] NCCL WARN NET/IB : mlx5_2:1 Got async event : port error\n"

FINE = (
    "node07:4711:4712 [0] NCCL WARN NET/IB : mlx5_2:1 Got async event : port error\n"
    "node07:4711:4712 [0] NCCL WARN NET/IB : mlx5_2:1 Got async event : port active\n"
)


def test_names_the_port() -> None:
    assert said("port-down", FAILED) == snapshot(
        [("port-down", "critical", "likely", "node07: mlx5_2 is down and did not come back")]
    )


def test_silent_on_a_port_that_came_back() -> None:
    assert findings_of("port-down", FINE) == ()


def test_the_kernels_word_on_any_interface_is_a_warning() -> None:
    found = findings_of("port-down", "mlx5_core 0000:12:00.0 ens1np0: Link down\n")
    assert [f.severity for f in found] == ["warning"]
