"""This version of NCCL has a known defect that fits what is seen.

Each known defect is kept with the version that fixes it and the symptom that must be there. A version alone is no
finding.

Why it matters: hours go into searching the hardware for a fault of the library.
How to confirm: run the same test with a version in which the defect is fixed.
What to do: update NCCL; where that cannot be done the finding names the workaround.
When it is wrong: the symptom has other causes too; the finding is a possibility until the update was tried.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from slowlink.model.facts import GdrDecisions, Versions
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.messages import listed

CAUSES = ("nccl-version-defect",)


class Defect(Struct, frozen=True):
    """One known defect of NCCL."""

    fixed_in: tuple[int, ...]
    """First version without it: major, minor, patch."""
    words: str
    """What NCCL does wrong, after "a known defect here: "."""
    workaround: str
    source: str
    """Where it is described."""


PEER_MEMORY = Defect(
    fixed_in=(2, 23, 4),
    words="it looks for the peer-memory module under its old name and does not see nvidia_peermem",
    workaround="Use NCCL 2.23.4 or newer.",
    source="https://github.com/NVIDIA/nccl/issues/1676",
)


def check(versions: Versions, gdr: GdrDecisions) -> Iterator[Finding]:
    """NCCL before 2.23.4 that finds no peer-memory module anywhere."""
    old = [v for v in versions.libraries if v.library == "NCCL" and _number(v.version) < PEER_MEMORY.fixed_in]
    refused = [d for d in gdr.all if d.reason == "no module"]
    if not old or not refused or any(decision.enabled for decision in gdr.all):
        return  # one rank with GPUDirect RDMA shows that this NCCL does find the module
    names = listed(list(dict.fromkeys(v.version for v in old)))
    yield finding(
        "nccl-version-defect",
        f"NCCL {names} may have a known defect here: {PEER_MEMORY.words}",
        severity="warning",
        confidence="possible",
        evidence=lines_evidence((old[0].ref, refused[0].ref)),
        suspects=suspects("node", (d.process.host for d in refused)),
        explains=("gdr-disabled",),
        remedy=[
            (PEER_MEMORY.workaround, ""),
            ("See whether the module is there all the same.", "lsmod | grep nvidia_peermem"),
        ],
        references=[PEER_MEMORY.source],
    )


def _number(version: str) -> tuple[int, ...]:
    """``2.22.3`` as numbers; a version that cannot be read counts as new."""
    parts = version.split(".")
    if not all(part.isascii() and part.isdecimal() and len(part) < 9 for part in parts):
        return (999,)
    return tuple(int(part) for part in parts)
