"""A GPU's memory has a history that is worth a look.

Six things count: a repair of a memory channel or TPC that waits for a reset, uncorrectable errors of the SRAM in its
life, banks without spare rows, many retired pages, and very many corrected errors of SRAM or of DRAM. None of these
stops a job today.

Why it matters: this GPU is more likely than others to fail next; SRAM has no spare rows, so its errors come again.
How to confirm: ``nvidia-smi -q -d ECC,ROW_REMAPPER,PAGE_RETIREMENT``; compare with the GPU's neighbours.
What to do: run ``dcgmi diag -r 3`` at the next maintenance, and watch whether the counts grow.
When it is wrong: lifetime counts never fall: one event years ago is reported for ever.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from msgspec import Struct

from slowlink.facts.readings import by_attribute, latest_of
from slowlink.model.facts import Of, Readings, Sources
from slowlink.model.report import Finding
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import finding
from slowlink.rules.evidence.gpu_phrases import Reported, by_gpu, gpu_suspects
from slowlink.rules.evidence.links_to_docs import GPU_MEMORY
from slowlink.rules.evidence.node_readings import reading_evidence
from slowlink.rules.gpu.remedies import of_amd

CAUSES = ("gpu-memory-errors",)

_SRAM = (
    "gpu-ecc-aggregate-sram-uncorrectable",
    "gpu-ecc-aggregate-sram-parity",
    "gpu-ecc-aggregate-sram-secded",
)
_PAGES = ("gpu-retired-pages-double-bit", "gpu-retired-pages-single-bit")
_EXHAUSTED = "gpu-remap-banks-exhausted"
_REPAIRS = ("gpu-channel-repair-pending", "gpu-tpc-repair-pending")
_SRAM_CORRECTED, _DRAM_CORRECTED = "gpu-ecc-volatile-sram-correctable", "gpu-ecc-volatile-dram-correctable"
_AMD_COUNTS = "amd-smi metric --ecc-blocks; amd-smi bad-pages"
ATTRIBUTES = (*_SRAM, *_PAGES, _EXHAUSTED, *_REPAIRS, _SRAM_CORRECTED, _DRAM_CORRECTED)


class Params(Struct, frozen=True):
    """Counts of one GPU that are worth a look: limits of Azure's node health checks and of DCGM's diagnostics."""

    most_pages: int = 15
    """Retired pages, of single-bit or of double-bit errors; this many and more are reported."""
    most_sram_corrected: int = 10_000
    """Corrected SRAM errors since the driver was loaded; more are reported."""
    most_dram_corrected: int = 20_000_000
    """Corrected DRAM errors since the driver was loaded; more are reported."""


def check(memory: Annotated[Readings, Of(*ATTRIBUTES)], sources: Sources, params: Params) -> Iterator[Finding]:
    """One finding for all GPUs; always a warning."""
    looked_for = [
        Reported("a repair waits for a reset of the GPU", _over(memory, _REPAIRS, 0)),
        Reported("uncorrectable SRAM errors in its life", _over(memory, _SRAM, 0)),
        Reported("memory banks without spare rows", _over(memory, (_EXHAUSTED,), 0)),
        Reported(f"{params.most_pages} pages or more were retired", _over(memory, _PAGES, params.most_pages - 1)),
        Reported("very many corrected SRAM errors", _over(memory, (_SRAM_CORRECTED,), params.most_sram_corrected)),
        Reported("very many corrected DRAM errors", _over(memory, (_DRAM_CORRECTED,), params.most_dram_corrected)),
    ]
    reported = [each for each in looked_for if each.readings]
    if not reported:
        return
    readings = [reading for each in reported for reading in each.readings]
    amd = of_amd(readings, sources)
    yield finding(
        "gpu-memory-errors",
        by_gpu(reported),
        severity="warning",
        confidence="possible",
        evidence=reading_evidence(readings, expected="0"),
        suspects=gpu_suspects(readings),
        remedy=[("Test it at the next maintenance, and watch the counts.", _AMD_COUNTS if amd else "dcgmi diag -r 3")],
        references=() if amd else [GPU_MEMORY],
    )


def _over(memory: Readings, names: tuple[str, ...], limit: int) -> list[Reading]:
    now = [reading for name in names for reading in latest_of(by_attribute(memory, name))]
    return [reading for reading in now if isinstance(reading.value, int) and reading.value > limit]
