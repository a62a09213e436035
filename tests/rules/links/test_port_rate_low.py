from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

FAILED = "node07:4711:4712 [0] NCCL INFO NET/IB : mlx5_0:1 speed change detected: 400000 -> 200000 Mbps\n"

FINE = "node07:4711:4712 [0] NCCL INFO NET/IB : mlx5_0:1 speed change detected: 200000 -> 400000 Mbps\n"


def test_names_both_rates() -> None:
    assert said("port-rate-low", FAILED) == snapshot(
        [("port-rate-low", "error", "certain", "node07: mlx5_0 fell from 400 to 200 Gb/s during the run")]
    )


def test_silent_on_a_port_that_becomes_faster() -> None:
    assert findings_of("port-rate-low", FINE) == ()


def test_it_says_what_to_do() -> None:
    assert remedies_of("port-rate-low", FAILED) == snapshot(
        [[("Read the link's state and counters.", "mlxlink -d mlx5_0 -c -e -m")]]
    )
