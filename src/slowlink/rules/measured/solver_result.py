"""What a solver that checks its own result says: HPL, HPL-MxP, HPCG.

HPL keeps every GPU, its memory and the links between them busy, and checks what came out. A check that failed means
that some part computed or carried wrong numbers. A check that passed beside a rate of at least 65 % of what the GPUs
can do in double precision shows that they run at their clocks; healthy systems reach 70 to 80 %. A lower rate says
nothing by itself, for the problem may be small.

Why it matters: it tells a sick GPU, or one that runs hot, from a slow network.
How to confirm: run it again on each node alone; the same node fails or is slow again.
What to do: after a failed check, take the node out and read its GPUs' errors; then HPL on halves of the nodes.
When it is wrong: a check fails for a setting, too (a wrong data file, a library that was not built for this GPU).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from slowlink.catalog.gpus import all_gpus
from slowlink.model.facts import Events, Hardware
from slowlink.model.job import JobEvent
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import Proof, Step, finding, line_evidence, lines_evidence, suspects
from slowlink.rules.evidence.messages import counted, happened, hosts_of, refs_of

CAUSES = ("wrong-results",)
DENIES = ("gpu-clocks-throttled", "straggler-gpu")
_NEAR = 12
"""Lines between a result and its check."""


class Params(Struct, frozen=True):
    """What is a good rate."""

    share: float = 0.65
    """Of the GPU's rate in double precision."""
    most: float = 1.05
    """Above it the result is of lower precision, or of more GPUs than processes."""


def check(events: Events, hardware: Hardware | None, params: Params) -> Iterator[Finding | Proof]:
    """A finding for checks that failed, and a proof for each good rate beside a check that passed."""
    checks = [event for event in happened(events, "solver-check") if isinstance(event, JobEvent)]
    failed = [event for event in checks if event.groups["passed"] == "no"]
    if failed:
        yield _failed(failed, len(checks))
    gpu = all_gpus().get(hardware.gpu) if hardware is not None and hardware.gpu else None
    if gpu is None or gpu.fp64_tflops is None or failed:
        return
    for result in happened(events, "solver-result"):
        if not isinstance(result, JobEvent) or not _passed(result, checks):
            continue
        each = _each(result)
        if params.share <= each / gpu.fp64_tflops <= params.most:
            yield _good(result, each, gpu.title, gpu.fp64_tflops)


def _passed(result: JobEvent, checks: Sequence[JobEvent]) -> bool:
    """Does a check that passed follow?"""
    below = (c.ref.line - result.ref.line for c in checks if c.ref.source == result.ref.source)
    return any(0 < lines <= _NEAR for lines in below)


def _each(result: JobEvent) -> float:
    """TFLOPS of one GPU."""
    groups = result.groups
    if "each" in groups:
        return float(groups["each"]) / 1e3
    return float(groups["rate"]) / 1e3 / max(1, int(groups["p"]) * int(groups["q"]))


def _good(result: JobEvent, each: float, gpu: str, peak: float) -> Proof:
    gpus = int(result.groups["p"]) * int(result.groups["q"])
    return Proof(
        f"HPL on {counted(gpus, 'GPU')}: {each:.1f} TFLOPS each, {each / peak:.0%} of what {gpu} can do, and its check "
        "passed",
        (line_evidence(result.ref, observed=f"{each:.1f} TFLOPS", expected=f"at most {peak:g} TFLOPS"),),
        weight=1,
    )


def _failed(failed: Sequence[JobEvent], of: int) -> Finding:
    return finding(
        "wrong-results",
        f"{len(failed)} of {counted(of, 'check')} of a solver's result failed: some part computed or carried wrong "
        "numbers",
        severity="critical",
        confidence="likely",
        evidence=lines_evidence(refs_of(failed)),
        suspects=suspects("node", hosts_of(failed)),
        remedy=[
            Step("Run it on each node alone until one fails again."),
            Step("Read the memory errors of the GPUs on the suspect nodes.", "nvidia-smi -q -d ECC,ROW_REMAPPER"),
        ],
    )
