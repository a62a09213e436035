"""The HCA refused access to memory.

A work request ended with a protection error: the local key or the PCIe access failed (status 4), or the remote side
refused the access (10). The kernel or the HCA may call it an access violation.

Why it matters: the connection is lost and the job with it.
How to confirm: run with ``NCCL_NET_GDR_LEVEL=LOC``: if it then works, the access to GPU memory is at fault.
``ib_write_bw`` with host memory and then with ``--use_cuda=N``.
What to do: if GPU memory is at fault, switch off ACS on the bridges and IOMMU translation, use a peer-memory module
that fits driver and OFED, and take only HCAs that belong to the compute fabric. If host memory is, look for a rank
that freed its buffers or died.
When it is wrong: status 10 also follows when the remote process ended, which unregisters its memory.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Events, Warnings
from slowlink.model.report import Finding
from slowlink.rules.evidence.commands import export, only_these_hcas
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import GPUDIRECT_RDMA, IBV_POLL_CQ
from slowlink.rules.evidence.messages import (
    FAILED_RUN,
    LogMessage,
    at_hosts,
    groups_of,
    hosts_of,
    listed,
    refs_of,
    reported,
)
from slowlink.rules.evidence.rdma_completions import PROTECTION, REMOTE_ACCESS, completions, peers_of, status_of

CAUSES = ("rdma-protection-error",)


def check(warnings: Warnings | None, events: Events | None) -> Iterator[Finding]:
    """One finding for completions and asynchronous events."""
    ended = completions(warnings, events, PROTECTION, REMOTE_ACCESS)
    violations = tuple(
        m
        for m in reported(warnings, events, "ib-async-event", "kernel-rdma-protection")
        if "access violation" in m.text
    )
    found: tuple[LogMessage, ...] = (*ended, *violations)
    if not found:
        return
    hosts, hcas, peers = hosts_of(found), groups_of(found, "hca"), peers_of(found)
    remote = any(status_of(message) == REMOTE_ACCESS for message in ended)
    what = (
        "the remote HCA refused access to its memory (status 10)" if remote else "the HCA may not access local memory"
    )
    yield finding(
        "rdma-protection-error",
        f"{at_hosts(hosts)}{what}"
        + (f" on {listed(hcas)}" if hcas else "")
        + (f" with {listed(peers)}" if peers else ""),
        severity="critical",
        confidence="likely",
        evidence=lines_evidence(refs_of(found), 4),
        suspects=(*suspects("hca", hcas), *suspects("node", hosts)),
        explains=("rdma-retry-exceeded", *FAILED_RUN),
        remedy=[
            ("See whether it works without GPUDirect RDMA.", "NCCL_NET_GDR_LEVEL=LOC ..."),
            ("Look for ACS on the bridges.", "lspci -vvv | grep -i acsctl"),
            ("Name the HCAs of the compute fabric alone.", export("NCCL_IB_HCA", only_these_hcas())),
        ],
        references=[IBV_POLL_CQ, GPUDIRECT_RDMA],
    )
