from __future__ import annotations

from inline_snapshot import snapshot
from job_findings import check, findings, remedies

from slowlink.simulate.nccl_tests_output import Measured, Node, Run, Step, factor, render

GIB = 1 << 30


def table(busbw: float, hosts: int = 2, gpus: int = 8, gpu: str = "NVIDIA H100 80GB HBM3") -> str:
    """Of one all-reduce that shows ``busbw`` GB/s at 4 and 8 GiB; no line of NCCL names a NIC."""
    nodes = tuple(Node(f"node{n:02d}", 700 * n, gpus) for n in range(6, 6 + hosts))
    algbw = busbw / factor("all_reduce", hosts * gpus)
    times = [Measured(size / algbw / 1e3) for size in (4 * GIB, 8 * GIB)]
    steps = tuple(Step(size, time, time) for size, time in zip((4 * GIB, 8 * GIB), times, strict=True))
    return "\n".join(render(Run("all_reduce", nodes, steps, gpu=gpu), "2.17.9")) + "\n"


def test_a_number_that_is_sound_on_one_network_and_a_disaster_on_another() -> None:
    assert findings("hardware-unknown", table(22.0)) == snapshot(
        [
            {
                "cause": "hardware-unknown",
                "message": "all_reduce with 16 ranks on 2 nodes: 22.0 GB/s is 6% of what 8 x 400 Gb/s carry, 96% of 1 x 100 Gb/s; to settle it, say the NICs of a node (--nics)",
                "how": "info, certain",
                "suspects": [],
                "evidence": [(26, "22.00 GB/s at 4 GiB / 436 GB/s or more with 8 x 400 Gb/s")],
                "explains": [],
            }
        ]
    )


def test_the_table_of_what_it_would_be() -> None:
    assert remedies("hardware-unknown", table(22.0)) == snapshot(
        [
            [
                (
                    "What 22.0 GB/s would be: 8 x 400 Gb/s: 6%, slow; 8 x 200 Gb/s: 11%, slow; 4 x 200 Gb/s: 22%, slow; 1 x 100 Gb/s: 96%, healthy.",
                    "",
                )
            ]
        ]
    )


def test_named_hardware_leaves_nothing_open() -> None:
    assert check("hardware-unknown", table(22.0), nics="1x200").findings == ()
    assert check("hardware-unknown", table(480.0)).findings == ()


def test_cards_that_a_bridge_may_join() -> None:
    pair = table(21.0, hosts=1, gpus=2, gpu="NVIDIA A100 80GB PCIe")
    assert [found.message for found in check("hardware-unknown", pair).findings] == snapshot(
        [
            "all_reduce with 2 ranks on 1 node: 21.0 GB/s is 8% of what a100-pcie GPUs on one node give, 73% of a100-pcie GPUs without a bridge; to settle it, say whether a bridge joins the GPUs (nvidia-smi topo -m)"
        ]
    )
