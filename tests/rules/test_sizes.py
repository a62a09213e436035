"""A cause explains no more of a loss than it can cost."""

from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from msgspec.structs import replace

from slowlink import Report, analyze, hardware
from slowlink.simulate.job import SimulatedJob, job_log
from slowlink.simulate.nccl_log_output import LoggedCluster

CLUSTER = LoggedCluster(hosts=("node06", "node07"), hcas=("mlx5_0", "mlx5_1"), gdr=False)


def report(plateau_gbs: float, nics: str, cluster: LoggedCluster = CLUSTER) -> Report:
    log = job_log(SimulatedJob(cluster, plateau_gbs=plateau_gbs)).encode()
    return analyze(log, hardware=hardware(nics=nics))


def causes(found: Report) -> list[str]:
    return [diagnosis.cause for diagnosis in found.diagnoses if diagnosis.severity == "error"]


def test_staging_cannot_cost_all_that_slow_nics_carry() -> None:
    found = report(0.5, "2x25")
    assert found.headline == snapshot(
        "node06, node07: GPUDirect RDMA is off: all 8 channels that receive over NET/IB are staged through host memory; without GPUDirect RDMA 4.9 to 5.8 GB/s of 10 remain to be expected: this explains the loss down to there, and not that all_reduce reaches only 0.5 GB/s"
    )
    assert causes(found) == ["gdr-disabled", "busbw-below-expected"]


def test_staging_explains_the_loss_down_to_what_it_costs() -> None:
    found = report(1.0, "2x200")
    assert found.headline == snapshot(
        "node06, node07: GPUDirect RDMA is off: all 8 channels that receive over NET/IB are staged through host memory; without GPUDirect RDMA 7.0 to 20 GB/s of 82 remain to be expected: this explains the loss down to there, and not that all_reduce reaches only 1.0 GB/s"
    )
    assert causes(found) == ["gdr-disabled", "busbw-below-expected"]


@pytest.mark.parametrize("plateau_gbs", [9.4, 16.0])
def test_staging_explains_what_it_can_cost(plateau_gbs: float) -> None:
    found = report(plateau_gbs, "2x200")
    assert "; this explains why all_reduce" in found.headline
    assert causes(found) == ["gdr-disabled"]


@pytest.mark.parametrize(("plateau_gbs", "standing"), [(45.0, []), (12.0, ["busbw-below-expected"])])
def test_fewer_hcas_cost_their_share(plateau_gbs: float, standing: list[str]) -> None:
    """Two of four HCAs of 200 Gb/s carry 49 GB/s."""
    found = report(plateau_gbs, "4x200", replace(CLUSTER, gdr=True))
    assert causes(found) == ["hca-list-incomplete", *standing]


def test_what_is_lacking_together_costs_more() -> None:
    """Two of eight HCAs, and these staged through the host."""
    assert causes(report(9.4, "8x200")) == ["gdr-disabled", "hca-list-incomplete"]


def test_sockets_may_take_an_interface_however_slow() -> None:
    found = report(0.1, "2x200", replace(CLUSTER, network="Socket"))
    assert "busbw-below-expected" not in causes(found)
