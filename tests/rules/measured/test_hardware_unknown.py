from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from job_findings import check, findings, remedies

from slowlink.expect.busbw import Prediction, predict
from slowlink.expect.case import Case
from slowlink.model.facts import Hardware, NicGroup
from slowlink.simulate.nccl_tests_output import Measured, Node, Run, Step, factor, render

GIB = 1 << 30


def table(
    busbw: float, hosts: int = 2, gpus: int = 8, gpu: str = "NVIDIA H100 80GB HBM3", collective: str = "all_reduce"
) -> str:
    """Of one collective that shows ``busbw`` GB/s at 4 and 8 GiB; no line of NCCL names a NIC."""
    nodes = tuple(Node(f"node{n:02d}", 700 * n, gpus) for n in range(6, 6 + hosts))
    algbw = busbw / factor(collective, hosts * gpus)
    times = [Measured(size / algbw / 1e3) for size in (4 * GIB, 8 * GIB)]
    steps = tuple(Step(size, time, time) for size, time in zip((4 * GIB, 8 * GIB), times, strict=True))
    return "\n".join(render(Run(collective, nodes, steps, gpu=gpu), "2.17.9")) + "\n"


def test_a_number_that_is_sound_on_one_network_and_a_disaster_on_another() -> None:
    assert findings("hardware-unknown", table(22.0)) == snapshot(
        [
            {
                "cause": "hardware-unknown",
                "message": "all_reduce with 16 ranks on 2 nodes: 22.0 GB/s is 5% of the 478 GB/s to expect of 8 x 400 Gb/s, and within the 19 to 23 GB/s of 1 x 100 Gb/s; to settle it, say the NICs of a node (--nics)",
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
                    "What 22.0 GB/s would be: 8 x 400 Gb/s: slow (sound ones give 436 to 661 GB/s); 8 x 200 Gb/s: slow (sound ones give 305 to 368 GB/s); 4 x 200 Gb/s: slow (sound ones give 153 to 184 GB/s); 1 x 100 Gb/s: healthy (sound ones give 19 to 23 GB/s).",
                    "",
                )
            ]
        ]
    )


@pytest.mark.parametrize(
    ("collective", "hosts"), [("alltoall", 2), ("alltoall", 8), ("sendrecv", 2), ("all_gather", 4)]
)
def test_what_is_expected_is_what_expect_says(collective: str, hosts: int) -> None:
    """The NICs together carry 392 GB/s; an all-to-all gets a fraction of that, which depends on the ranks and nodes."""
    hardware = Hardware(None, "h100-sxm", 8, (NicGroup(8, 400.0),), "")
    prediction = predict(Case(collective, 8 * hosts, hosts, hardware))
    assert isinstance(prediction, Prediction)
    value = 0.49 * prediction.expected.value
    (found,) = check("hardware-unknown", table(value, hosts, collective=collective)).findings
    expected = f"{value:.1f} GB/s is 49% of the {prediction.expected.value:.0f} GB/s to expect of 8 x 400 Gb/s"
    assert expected in found.message
    assert found.evidence[0].expected == f"{prediction.warn:.0f} GB/s or more with 8 x 400 Gb/s"


def test_named_hardware_leaves_nothing_open() -> None:
    assert check("hardware-unknown", table(22.0), nics="1x200").findings == ()
    assert check("hardware-unknown", table(480.0)).findings == ()


def test_cards_that_a_bridge_may_join() -> None:
    pair = table(21.0, hosts=1, gpus=2, gpu="NVIDIA A100 80GB PCIe")
    assert [found.message for found in check("hardware-unknown", pair).findings] == snapshot(
        [
            "all_reduce with 2 ranks on 1 node: 21.0 GB/s is 10% of the 209 GB/s to expect of a100-pcie GPUs on one node, and within the 9.4 to 29 GB/s of a100-pcie GPUs without a bridge; to settle it, say whether a bridge joins the GPUs (nvidia-smi topo -m)"
        ]
    )
