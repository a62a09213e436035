"""Messages whose meaning the catalogue holds."""

from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from text_findings import findings_of, said

from slowlink.catalog.vocabulary import Meaning
from slowlink.model.facts import Events
from slowlink.model.job import JobEvent
from slowlink.model.source import Ref
from slowlink.rules.evidence import meanings
from slowlink.rules.job import program_said

JAM = Meaning(
    "grinder-jam",
    "grinder",
    "cause",
    "the mill is jammed",
    "nccl-error-unexplained",
    "critical",
    "likely",
    (),
    (("Take the stone out.", "ls"),),
    secondary=False,
    texts=(),
)


def event(kind: str, host: str, secondary: bool = False) -> JobEvent:
    return JobEvent(kind, "grinder", "jam", {"hca": "mlx5_3"}, Ref("log", 3, "jam"), host, secondary=secondary)


def test_one_finding_for_a_meaning_with_parts_and_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meanings, "meaning_of", lambda _, kind: JAM if kind == "grinder-jam" else None)
    events = (
        event("grinder-jam", "node07"),
        event("grinder-jam", "node08"),
        event("grinder-jam", "n9", secondary=True),
    )
    found = list(program_said.check(Events((*events, event("other", "node09"))), *[None] * 7))
    assert [(f.cause, f.severity, f.message, [s.name for s in f.suspects]) for f in found] == snapshot(
        [
            (
                "nccl-error-unexplained",
                "critical",
                "node07 and node08: the mill is jammed (mlx5_3)",
                ["mlx5_3", "node07", "node08"],
            )
        ]
    )


def test_silent_on_what_no_vocabulary_knows() -> None:
    assert said("program-said", "node07:1:2 [0] NCCL WARN the unheard of happened\n") == []


CAUSES = (
    "NET/IB : Unable to open device mlx5_3",
    "Error: network Frobnet not found.",
    "failed to peer with device 3(=3b000): 217 peer access is not supported between these two devices",
    "NET/OFI GDR disabled on GDR-supported instance type p5.48xlarge",
    "NET/OFI EFA provider requires at least libfabric version 1.22.0.",
    "XML Topology has wrong version 2, 1 needed",
    "Your program may be hanging, this may be caused by a collective mismatch around rank 9. Please check",
    'Missing "amd_iommu=on" from kernel command line which can lead to system instablity or hang!',
    "Cannot use cuda/gdr transports as part of specified UCX_TLS",
    "sched_setaffinity failed with error: Invalid argument",
)


def test_causes_that_nccl_and_its_plugins_name() -> None:
    lines = [said("program-said", f"node07:4000:4100 [0] NCCL WARN {text}\n") for text in CAUSES]
    assert [(cause, severity, message) for ((cause, severity, _, message),) in lines] == snapshot(
        [
            (
                "rdma-device-not-accessible",
                "error",
                "node07: an RDMA device exists and cannot be opened or queried (mlx5_3)",
            ),
            ("net-plugin-not-loaded", "critical", "node07: the network that NCCL_NET asks for cannot be used"),
            ("p2p-disabled", "critical", "node07: peer access between two GPUs could not be turned on"),
            ("gdr-disabled", "error", "node07: the libfabric provider cannot read GPU memory"),
            ("version-mismatch", "critical", "node07: libfabric or the GPU's driver is older than the plug-in needs"),
            ("topology-overridden", "error", "node07: a topology or graph file that NCCL was given cannot be used"),
            ("collective-mismatch", "critical", "node07: NCCL itself suspects that ranks called different collectives"),
            ("iommu-translating", "warning", "node07: RCCL wants amd_iommu=on in the kernel command line"),
            ("tuning-harmful", "error", "node07: UCX_TLS names transports that NCCL's UCX plug-in cannot use"),
            ("proxy-affinity", "warning", "node07: NCCL could not bind its threads to the processors near their GPU"),
        ]
    )


def test_ranks_that_are_bound_far_from_their_gpu() -> None:
    words = "Affinity for GPU 4 is empty, ignoring. (GPU affinity = 32-63 ; CPU affinity = 0-31)."
    line = f"node07:4000:4100 [4] NCCL INFO ncclTopoGetCpuAffinity: {words}\n"
    assert said("program-said", line) == snapshot(
        [
            (
                "proxy-affinity",
                "warning",
                "certain",
                "node07: ranks may use none of the processors near their GPU, so NCCL's threads run on the other socket (4)",
            )
        ]
    )


def test_harmless_warnings_leave_nothing() -> None:
    line = (
        "node07:4000:4100 [0] NCCL WARN munmap of shared memory 0x7f2a40 size 65536 failed, error: Invalid argument\n"
    )
    assert findings_of("nccl-error-unexplained", line) == ()
    assert findings_of("program-said", line) == ()


def test_a_plugin_that_finds_no_network_of_its_own_is_no_fault_where_nccl_takes_infiniband() -> None:
    line = "node07:4000:4100 [0] NCCL WARN NET/OFI Couldn't find any optimal provider\n"
    assert [f.cause for f in findings_of("program-said", line)] == ["net-plugin-not-loaded"]
    assert findings_of("program-said", f"{line}node07:4000:4100 [0] NCCL INFO Using network IB\n") == ()


def test_nodes_that_a_waiting_job_lacks() -> None:
    queue = """\
             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)
              4711       gpu    train      bob PD       0:00      8 (ReqNodeNotAvail, UnavailableNodes:gpu[02-03])
"""
    assert said("program-said", queue) == snapshot(
        [
            (
                "nodes-unanswered",
                "warning",
                "likely",
                "gpu02 and gpu03: a job waits for nodes that are down or drained, or do not answer Slurm",
            )
        ]
    )


def test_events_of_rdma_connections() -> None:
    events = ["UNREACHABLE, error -110", "ADDR_ERROR, error -110", "REJECTED, error 8"]
    lines = [said("program-said", f"cma event RDMA_CM_EVENT_{event}\n") for event in events]
    assert [(cause, severity) for ((cause, severity, _, _),) in lines] == snapshot(
        [("fabric-path-blocked", "error"), ("tcp-unreachable", "error"), ("tcp-unreachable", "warning")]
    )


def test_a_library_that_is_not_needed_accuses_nobody_and_one_that_is_missed_is_named() -> None:
    at = "node07:4711:4712 [0] NCCL INFO "
    warned = "node07:4711:4712 [0] misc/nvmlwrap.cc:75 NCCL WARN "
    optional = at + "Failed to open libmlx5.so[.1]\n" + at + "Count not open libibverbs.so\n"
    missing = at + "Failed to open libibverbs.so[.1]\n"
    assert findings_of("program-said", optional) == ()
    assert findings_of("program-said", missing + at + "Using network IBext_v10\n") == ()
    assert [found[:3] for found in said("program-said", missing + at + "Using network Socket\n")] == [
        ("library-missing", "error", "likely")
    ]
    row = "#  Rank  {} Group  0 Pid   4711 on     node0{} device  0 [0x00] NVIDIA A10\n"
    card = row.format(0, 7) + row.format(1, 8)
    assert findings_of("program-said", card + missing + at + "Using network Socket\n") == ()
    named = at + "NCCL_IB_HCA set by environment to mlx5_0\n"
    assert len(said("program-said", card + named + missing + at + "Using network Socket\n")) == 1
    driver = warned + "Failed to open libnvidia-ml.so.1\n"
    assert [found[:3] for found in said("program-said", driver)] == [("library-missing", "critical", "likely")]
