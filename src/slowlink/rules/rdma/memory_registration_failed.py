"""The network cannot register memory.

Before an HCA may read or write memory, the memory must be registered with it. For GPU memory this needs a peer-memory
module or DMA-BUF; "Bad address" is the answer where there is neither, or the module does not fit the driver.

Why it matters: the transport fails at the first connection.
How to confirm: run with ``NCCL_NET_GDR_LEVEL=LOC``: if that works, only GPU memory is refused. Look at ``lsmod | grep
peermem`` and ``dmesg``.
What to do: load nvidia_peermem (or the vendor's module) built for this driver and OFED, or use DMA-BUF with the open
driver. For libfabric, check that it was built with support for these GPUs and finds the driver's library.
When it is wrong: "Cannot allocate memory" of a verbs call is the locked-memory limit or the HCA's resources; that is
left to memlock-limit.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Events, Sweeps, Warnings
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import GPUDIRECT_RDMA, IBV_REG_MR
from slowlink.rules.evidence.messages import FAILED_RUN, at_hosts, groups_of, hosts_of, overcome, refs_of, reported

CAUSES = ("memory-registration-failed",)

_CALLS = ("ib-reg-mr-failed", "ofi-register-failed", "libfabric-mr-failed")
_LIMIT = "Cannot allocate memory"
"""What verbs (``ibv_...``) say at the locked-memory limit: another rule's."""


def check(warnings: Warnings | None, events: Events | None, sweeps: Sweeps | None) -> Iterator[Finding]:
    """One finding for verbs and libfabric alike."""
    found = [m for m in reported(warnings, events, *_CALLS) if not (_LIMIT in m.text and "ibv_" in m.text)]
    if not found or overcome(refs_of(found), sweeps):
        return  # nothing failed, or a run followed and came to its end
    hosts, calls = hosts_of(found), groups_of(found, "call")
    gpu = any("Bad address" in m.text or "type = 2" in m.text for m in found)
    yield finding(
        "memory-registration-failed",
        f"{at_hosts(hosts)}{calls[0] if calls else 'the network'} cannot register "
        + ("GPU memory: no peer-memory module or DMA-BUF serves it" if gpu else "memory"),
        severity="critical",
        confidence="certain" if gpu else "likely",
        evidence=lines_evidence(refs_of(found)),
        suspects=suspects("node", hosts),
        explains=FAILED_RUN,
        remedy=[
            ("Load the peer-memory module.", "modprobe nvidia_peermem"),
            ("See whether only GPU memory is refused.", "NCCL_NET_GDR_LEVEL=LOC ..."),
        ],
        references=[GPUDIRECT_RDMA, IBV_REG_MR],
    )
