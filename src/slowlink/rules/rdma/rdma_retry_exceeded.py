"""RDMA transfers were never acknowledged.

The HCA sent a message again and again and got no acknowledgement (completion status 12), or the other side never had
a buffer ready (13). NCCL then gives up the connection and the job with it, unless NIC resiliency moves it to another
device. Where the device recovered, or a run followed and came to its end, it is an error, else critical. It is possible
only where the log says that failures were injected to see just that, or where a device failed without a status.

Why it matters: a path between two HCAs carries nothing, at least for some seconds.
How to confirm: run ``ib_write_bw`` between the two HCAs that are named; read ``mlxlink`` and the port counters of both
ends and of the switches between them, and the kernel log of both nodes at that time.
What to do: find out first whether the peer was still alive: a rank that died gives the same status. Then check the link
(cable, port, flapping) and the path (routes, VLAN, GID, flow control of RoCE), and only then raise NCCL_IB_TIMEOUT.
When it is wrong: when the peer's process ended first, the network is not at fault.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Events, Sweeps, Warnings
from slowlink.model.hang import Injected
from slowlink.model.report import Finding
from slowlink.rules.evidence.commands import as_hca, command
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import IBV_POLL_CQ, NCCL_ENV
from slowlink.rules.evidence.messages import (
    FAILED_RUN,
    LogMessage,
    at_hosts,
    counted,
    groups_of,
    hosts_of,
    listed,
    overcome,
    refs_of,
    reported,
    times_printed,
)
from slowlink.rules.evidence.rdma_completions import (
    NOT_READY,
    RETRY,
    completions,
    peers_of,
    recovered,
    refs_with,
    status_of,
)

CAUSES = ("rdma-retry-exceeded",)


def check(
    warnings: Warnings | None, events: Events | None, sweeps: Sweeps | None, injected: Injected | None
) -> Iterator[Finding]:
    """One finding for all completions; an error where the job went on, critical where it did not."""
    found: tuple[LogMessage, ...] = (
        *completions(warnings, events, RETRY, NOT_READY),
        *reported(warnings, events, "ofi-completion-error", "ib-device-failed"),
    )
    if not found:
        return
    back = recovered(warnings)
    survived = bool(back) or overcome(refs_of(found), sweeps)
    on_purpose = [note.ref for note in injected.all] if injected is not None else []
    hosts, peers, hcas = (
        hosts_of(found),
        peers_of(found),
        groups_of(found, "hca") or tuple(f"device {n}" for n in groups_of(found, "device")),
    )
    device = as_hca(next(iter(hcas), None))
    yield finding(
        "rdma-retry-exceeded",
        f"{at_hosts(hosts)}{_what(found)}"
        + (f" on {listed(hcas)}" if hcas else "")
        + (f" to {listed(peers)}" if peers else "")
        + ("; it recovered and the job went on" if back else "")
        + ("; failures were injected on purpose" if on_purpose else ""),
        severity="error" if survived else "critical",
        confidence="likely" if {RETRY, NOT_READY} & set(map(status_of, found)) and not on_purpose else "possible",
        evidence=[*lines_evidence(on_purpose, 1), *lines_evidence(refs_with(found, back), 5)],
        suspects=(
            *suspects("hca", hcas),
            *suspects("node", hosts),
            *suspects("link", (f"to {peer}" for peer in peers)),
        ),
        explains=("busbw-below-expected", "bandwidth-unstable") if survived else FAILED_RUN,
        remedy=[
            (
                "Measure the path between the two HCAs alone.",
                command("ib_write_bw", "-d", device, "--report_gbits", "PEER"),
            ),
            (
                "Read the state of the link and its error counters at both ends.",
                command("mlxlink", "-d", device, "-c", "-e"),
            ),
            ("Look for a rank that died first: its end makes the same status.", "dmesg -T | tail -50"),
        ],
        references=[IBV_POLL_CQ, f"{NCCL_ENV}#nccl-ib-timeout"],
    )


def _what(found: tuple[LogMessage, ...]) -> str:
    states = {status_of(message) for message in found}
    if RETRY in states:
        return f"{counted(times_printed(found), 'RDMA transfer')} never got an acknowledgement (status 12)"
    if NOT_READY in states:
        return f"the other side had no buffer ready for {counted(times_printed(found), 'RDMA transfer')} (status 13)"
    return f"{counted(times_printed(found), 'connection')} of a network device failed"
