from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from job_findings import check, findings, remedies, skipped
from msgspec.structs import replace

from slowlink.simulate.job import SimulatedJob, job_log
from slowlink.simulate.nccl_log_output import LoggedCluster

NODE = LoggedCluster(hosts=("node06",), gpus=8)
H100 = "NVIDIA H100 80GB HBM3"


def log(gpu: str = H100, cluster: LoggedCluster = NODE) -> str:
    return job_log(SimulatedJob(cluster, gpu=gpu, plateau_gbs=360.0))


def test_an_nvswitch_machine_without_nvls() -> None:
    assert findings("nvls-unavailable", log()) == snapshot(
        [
            {
                "cause": "nvls-unavailable",
                "message": "NVLink SHARP is not used although h100-sxm has it: all-reduce inside the node runs as a ring",
                "how": "warning, likely",
                "suspects": ["node node06"],
                "evidence": [(57, "no NVLS / nvls channels"), (129, "no NVLS / nvls channels")],
                "explains": ["busbw-below-expected"],
            }
        ]
    )


def test_in_use() -> None:
    assert findings("nvls-unavailable", log(cluster=replace(NODE, nvls_channels=16))) == []


@pytest.mark.parametrize("gpu", ["NVIDIA A100-SXM4-80GB", "NVIDIA H200 NVL", "some card"])
def test_gpus_that_have_none(gpu: str) -> None:
    assert findings("nvls-unavailable", log(gpu)) == []


def test_four_ranks_do_not_use_it() -> None:
    assert findings("nvls-unavailable", log(cluster=replace(NODE, gpus=4))) == []
    assert len(findings("nvls-unavailable", log(cluster=replace(NODE, gpus=5)))) == 1


def test_without_nccl_lines() -> None:
    assert skipped("nvls-unavailable", job_log(SimulatedJob(logged=False))) == snapshot(
        "no topology lines; run with NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,GRAPH,TUNING"
    )


def test_it_says_what_to_do() -> None:
    assert remedies("nvls-unavailable", log()) == snapshot(
        [
            [
                (
                    "Look at the fabric's state and the fabric manager.",
                    "nvidia-smi -q | grep -A4 Fabric; systemctl status nvidia-fabricmanager",
                )
            ]
        ]
    )


def test_it_explains_no_more_than_what_a_ring_lacks_of_it() -> None:
    far_below = job_log(SimulatedJob(NODE, gpu=H100, plateau_gbs=47.5))
    assert [found.explains for found in check("nvls-unavailable", far_below).findings] == [()]


def test_how_many_ranks_a_node_has_is_told_by_what_was_measured() -> None:
    smi = f"$ nvidia-smi -L\nGPU 0: {H100} (UUID: GPU-97b0a0f4-76b5-1a8e-90e1-84b5e9b6a4cf)\n"
    refused = "node06:410:480 [0] NCCL INFO NVLS multicast support is not available on dev 0\n"
    counts = (
        "node06:410:480 [0] NCCL INFO 16 coll channels, 16 collnet channels, 0 nvls channels, 16 p2p channels, "
        "16 p2p channels per peer\n"
    )
    heading = "# size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n"
    row = "8589934592 2147483648 float sum -1 41700 206.00 360.50 0 41700 206.00 360.50 0\n"
    four = row.replace("360.50", "309.00")
    (found,) = check("nvls-unavailable", smi + refused + counts + heading + row).findings
    assert (found.severity, found.confidence) == ("warning", "likely")
    assert findings("nvls-unavailable", smi + counts + heading + row) == []
    assert findings("nvls-unavailable", smi + refused + counts + heading + four) == []
