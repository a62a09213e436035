"""A GPU's own counters show bad memory.

Uncorrectable errors since the driver was loaded, a row remap or page retirement that waits for a reset or failed,
memory that cannot be repaired, or more retired pages and remapped rows than NVIDIA accepts.

Why it matters: an uncorrectable error ends the process that used the memory; a GPU that cannot remap must be replaced.
How to confirm: ``nvidia-smi -q -d ECC,ROW_REMAPPER,PAGE_RETIREMENT`` on the node; ``dmesg | grep Xid``.
What to do: pending: reset the GPU at the next chance (drain first). Failed, unrepairable or threshold exceeded: replace
the GPU. Uncorrectable errors: reset, run ``dcgmi diag -r 3``, replace the GPU if they come again.
When it is wrong: a pending remap is the repair itself and needs only the reset. Lifetime error counts prove nothing
about today, so they raise no alarm here; correctable errors are corrected.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from msgspec import Struct

from slowlink.facts.readings import by_attribute, each_attribute, latest_of
from slowlink.facts.stretches import joined, where
from slowlink.model.facts import Of, Readings, Sources
from slowlink.model.report import Finding
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import Proof, finding
from slowlink.rules.evidence.gpu_phrases import Reported, by_gpu, gpu_suspects, number_of_gpus
from slowlink.rules.evidence.links_to_docs import GPU_MEMORY, XID
from slowlink.rules.evidence.messages import counted
from slowlink.rules.evidence.node_readings import reading_evidence
from slowlink.rules.gpu.remedies import AMD_RESET, RESET_AND_TEST, of_amd

CAUSES = ("gpu-memory-errors",)

_ERRORS = (
    "gpu-ecc-volatile-uncorrectable",
    "gpu-ecc-volatile-dram-uncorrectable",
    "gpu-ecc-volatile-sram-uncorrectable",
    "gpu-ecc-volatile-sram-parity",
    "gpu-ecc-volatile-sram-secded",
)
_FLAGS = {
    "gpu-remap-failed": "a row remap failed",
    "gpu-unrepairable-memory": "memory that cannot be repaired",
    "gpu-sram-threshold-exceeded": "too many SRAM errors, by the driver's own threshold",
    "gpu-remap-pending": "a row remap waits for a reset of the GPU",
    "gpu-retirement-pending": "a page retirement waits for a reset of the GPU",
}
_WORSE_THAN_ERRORS = 3  # of the flags: these mean a new GPU, the others only a reset
_ROWS = "gpu-rows-remapped-uncorrectable"
_PAGES = ("gpu-retired-pages-double-bit", "gpu-retired-pages-single-bit")
ATTRIBUTES = (*_ERRORS, *_FLAGS, _ROWS, *_PAGES)


class Params(Struct, frozen=True):
    """Counts of one GPU that mean it must be replaced: limits of DCGM's diagnostics and Azure's node health checks."""

    most_rows: int = 512
    """Rows remapped after uncorrectable errors; this many and more are reported."""
    most_pages: int = 63
    """Retired pages (GPUs before Ampere); this many and more are reported."""


def check(memory: Annotated[Readings, Of(*ATTRIBUTES)], sources: Sources, params: Params) -> Iterator[Finding | Proof]:
    """One finding for all GPUs, worst first; a proof when there is nothing."""
    bad = _bad(memory, params)
    if not bad:
        if (said := sound(memory)) is not None:
            yield Proof(said, reading_evidence(memory.all, most=2), weight=0)
        return
    readings = [reading for each in bad for reading in each.readings]
    amd = of_amd(readings, sources)
    yield finding(
        "gpu-memory-errors",
        by_gpu(bad),
        severity="error",
        confidence="certain",
        evidence=reading_evidence(readings, expected="0 or No"),
        suspects=gpu_suspects(readings),
        explains=("gpu-application-fault",),
        remedy=[
            AMD_RESET if amd else RESET_AND_TEST,
            ("Replace the GPU when remapping failed or errors come again.", ""),
        ],
        references=() if amd else [GPU_MEMORY, XID],
    )


def sound(memory: Readings) -> str | None:
    """``8 GPUs: no uncorrectable memory error, no remap pending``: of what was read. None where it is bad."""
    if _bad(memory, Params()):
        return None
    read = each_attribute(memory).keys()
    said = []
    if read & {*_ERRORS}:
        said.append("no uncorrectable memory error since the driver was loaded")
    if "gpu-remap-pending" in read or "gpu-remap-failed" in read:
        said.append("no row remap pending or failed")
    if "gpu-retirement-pending" in read or read & {*_PAGES}:
        said.append("no page retirement pending")
    of_memory = joined(by_attribute(memory, name) for name in read if name in ATTRIBUTES)
    return f"{number_of_gpus(of_memory)}: {', '.join(said)}" if said else None


def _bad(memory: Readings, params: Params) -> list[Reported]:
    """Worst first: what the GPU is lost for, errors, what a reset repairs, and counts above their limits."""
    found = [Reported(words, _flagged(memory, name)) for name, words in _FLAGS.items()]
    errors = [r for name in _ERRORS for r in _over(memory, name, 0)]
    found.insert(_WORSE_THAN_ERRORS, Reported(f"{_number(errors)} since the driver was loaded", errors))
    rows = _over(memory, _ROWS, params.most_rows - 1)
    found.append(Reported(f"{params.most_rows} rows or more were remapped after uncorrectable errors", rows))
    pages = [r for name in _PAGES for r in _over(memory, name, params.most_pages - 1)]
    found.append(Reported(f"{params.most_pages} pages or more were retired", pages))
    return [each for each in found if each.readings]


def _flagged(memory: Readings, name: str) -> Sequence[Reading]:
    return where(latest_of(by_attribute(memory, name)), lambda _, value: value is True)


def _number(errors: Sequence[Reading]) -> str:
    """The largest count of one GPU: a total is printed with its parts, so the sum would count twice."""
    return counted(max((int(r.value) for r in errors), default=0), "uncorrectable memory error")


def _over(memory: Readings, name: str, limit: int) -> Sequence[Reading]:
    return where(latest_of(by_attribute(memory, name)), lambda _, value: isinstance(value, int) and value > limit)
