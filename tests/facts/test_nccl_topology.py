"""NCCL's topology tree tells the rate of NICs, and whether NVLink joins the GPUs."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from slowlink.expect.assemble import assemble_expectations
from slowlink.facts.assemble import assemble
from slowlink.inputs import Input
from slowlink.model.facts import Facts, Hardware, NicGroup
from slowlink.parsers.reading.read import read
from slowlink.simulate.job import SimulatedJob, job_log
from slowlink.simulate.nccl_log_output import LoggedCluster

TWO = LoggedCluster(hosts=("node06", "node07"), hcas=("mlx5_0", "mlx5_1"))


def tree(nets: tuple[float, ...] = (), gpus: int = 2, nvlink: bool = False) -> str:
    """The tree of one process: GPUs below the CPU, NICs after them."""
    lines = ["=== System : maxBw 24.0 totalBw 24.0 ===", "CPU/0 (1/1/2)"]
    for gpu in range(gpus):
        lines.append(f"+ PCI[24.0] - GPU/{gpu + 1}7000 ({gpu})")
        if nvlink:
            lines.append(f"              + NVL[240.0] - GPU/{2 - gpu}7000")
    for number, rate in enumerate(nets):
        lines += [f"+ PCI[24.0] - NIC/{number + 1}8000"]
        lines += [f"              + NET[{rate:.1f}] - NET/{number} (b8cef6030011223{number}/1/{rate:f})"]
    lines.append("==========================================")
    return "".join(f"node06:4000:4100 [0] NCCL INFO {line}\n" for line in lines)


def facts_of(text: str, given: Hardware | None = None) -> Facts:
    return assemble(read([Input("job.log", None, [text.encode()])], workers=1), given)


def hardware_of(text: str, given: Hardware | None = None) -> Hardware:
    found = facts_of(text, given).hardware
    assert found is not None
    return found


@pytest.mark.parametrize(("printed", "rate_gbit"), [(12.5, 100.0), (25.0, 200.0), (50.0, 400.0), (6.25, 50.0)])
def test_the_rate_of_nics(printed: float, rate_gbit: float) -> None:
    found = hardware_of(job_log(SimulatedJob(TWO)) + tree((printed, printed)))
    assert found.nics == (NicGroup(2, rate_gbit),)
    assert f"2 NICs of {rate_gbit:g} Gb/s in NCCL's topology (job.log:" in found.basis
    assert assemble_expectations(facts_of(job_log(SimulatedJob(TWO)) + tree((printed, printed)))).open == ()


def test_a_merged_device_counts_as_its_members() -> None:
    assert hardware_of(job_log(SimulatedJob(TWO)) + tree((50.0,))).nics == (NicGroup(2, 200.0),)


def test_no_rate_that_no_nic_has_and_none_that_a_driver_did_not_tell() -> None:
    for rates in ((1.2, 1.2), (25.0, 50.0), (33.0, 33.0)):
        assert hardware_of(job_log(SimulatedJob(TWO)) + tree(rates)).nics == ()


def test_what_was_given_wins() -> None:
    given = Hardware(None, None, None, (NicGroup(2, 100.0),), "NICs given", given=True)
    assert hardware_of(job_log(SimulatedJob(TWO)) + tree((25.0, 25.0)), given).nics == given.nics


def test_sockets_are_no_nics_of_the_compute_network() -> None:
    text = job_log(SimulatedJob(replace(TWO, network="Socket"))) + tree((12.5, 12.5))
    assert hardware_of(text).nics == ()


def pair(plateau_gbs: float) -> str:
    """Two PCIe cards of one node, which a bridge may join."""
    cluster = LoggedCluster(hosts=("node06",), gpus=2)
    return job_log(SimulatedJob(cluster, plateau_gbs=plateau_gbs, gpu="NVIDIA A100 80GB PCIe"))


def test_whether_a_bridge_joins_the_gpus() -> None:
    unknown = assemble_expectations(facts_of(pair(21.0)))
    assert unknown.open[0].missing == ("bridge",)
    bare = assemble_expectations(facts_of(pair(21.0) + tree()))
    assert bare.open == ()
    assert bare.sweeps[0].warn_below_gbs < 21.0, "what PCIe carries"
    bridged = assemble_expectations(facts_of(pair(21.0) + tree(nvlink=True)))
    assert bridged.open == ()
    assert bridged.sweeps[0].busbw.low > 21.0, "a bridge carries ten times that"
    assert "NVLink between GPUs in NCCL's topology (job.log:" in bridged.sweeps[0].busbw.basis


def test_a_topology_from_a_file_is_not_that_of_the_machine() -> None:
    setting = "node06:4000:4100 [0] NCCL INFO NCCL_TOPO_FILE set by environment to /home/me/other.xml\n"
    assert assemble_expectations(facts_of(setting + pair(21.0) + tree(nvlink=True))).open[0].missing == ("bridge",)
    assert hardware_of(setting + job_log(SimulatedJob(TWO)) + tree((25.0, 25.0))).nics == ()
