"""Communicators take long to start.

From 2.22 on NCCL prints how long each rank needed to create a communicator, and for which parts.

Why it matters: every start and restart of the job waits for it, and what grows with the number of ranks gets worse with
scale. It says nothing about the bandwidth afterwards.
How to confirm: ``NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT`` prints ``Init timings``; compare the parts of the ranks.
What to do: look at the part that takes the time. *bootstrap* is TCP between ranks, and waiting for the last of them;
*alloc* is memory of the GPU; *kernels* is loading NCCL's code; *topo* is reading /sys and asking the driver;
*connections* is queue pairs and shared memory.
When it is wrong: at thousands of ranks a minute may be usual; and ranks that wait for one that starts late show the
same numbers as ranks on a slow network.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from slowlink.model.facts import Communicators
from slowlink.model.nccl import CommInit
from slowlink.model.report import Finding
from slowlink.rules.evidence.commands import as_interface, export
from slowlink.rules.evidence.findings import Step, finding, line_evidence, suspects

CAUSES = ("slow-init",)

_STEPS = {
    "kernels": Step("See whether the library lies on a slow file system.", "ldconfig -p | grep libnccl"),
    "alloc": Step("See whether memory is slow to get: persistence mode, other processes.", "nvidia-smi -q -d MEMORY"),
    "bootstrap": Step(
        "Name the interface for TCP, and see which rank came last.", export("NCCL_SOCKET_IFNAME", as_interface(None))
    ),
    "allgathers": Step(
        "Name the interface for TCP, and see which rank came last.", export("NCCL_SOCKET_IFNAME", as_interface(None))
    ),
    "topo": Step("See whether the driver answers fast: persistence mode.", "time nvidia-smi -L"),
    "connections": Step("Connect later, when a path is first used.", export("NCCL_RUNTIME_CONNECT", "1")),
}
"""What to look at where one part takes most of the time."""


class Params(Struct, frozen=True):
    """From when on a start is slow."""

    seconds: float = 30.0
    """That the slowest rank may take."""
    seconds_per_thousand_ranks: float = 25.0
    """That it may take more for each thousand ranks."""
    times_of_fault: float = 3.0
    """Beyond so many times what it may take, something is wrong."""


def check(communicators: Communicators, params: Params) -> Iterator[Finding]:
    """One finding, about the communicator that took longest."""
    timed = [init for init in communicators.all if init.init_seconds is not None and init.timed is not None]
    slow = max(timed, key=_seconds, default=None)
    if slow is None or slow.timed is None:
        return
    allowed = params.seconds + params.seconds_per_thousand_ranks * (slow.nranks or 0) / 1000
    if _seconds(slow) <= allowed:
        return
    part, share = max(slow.init_parts, key=lambda pair: pair[1], default=("", 0.0))
    most = f", {share:.1f} s of it in {part}" if share > _seconds(slow) / 2 else ""
    ranks = f" with {slow.nranks} ranks" if slow.nranks else ""
    yield finding(
        "slow-init",
        f"to create a communicator{ranks} took {_seconds(slow):.1f} s{most}",
        severity="error" if _seconds(slow) > allowed * params.times_of_fault else "warning",
        confidence="likely",
        evidence=[line_evidence(slow.timed, f"{_seconds(slow):.1f} s", f"at most {allowed:.0f} s")],
        suspects=suspects("node", [slow.process.host]),
        remedy=[_STEPS[part]] if most and part in _STEPS else [],
    )


def _seconds(init: CommInit) -> float:
    return init.init_seconds or 0.0
