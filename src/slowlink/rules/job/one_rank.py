"""Only one rank took part: bus bandwidth is zero by definition.

A collective of one rank moves nothing between GPUs. Bus bandwidth is algorithm bandwidth times 2(n-1)/n for
all-reduce and (n-1)/n for the other collectives whose ranks exchange parts, which is 0 for n = 1 (docs/physics.md).

Why it matters: the run says nothing about NVLink, HCAs or the fabric.
How to confirm: the device list has one line, ``Rank 0``.
What to do: use all GPUs of a node (``-g`` with their number), or start several ranks through MPI with a build that has
``MPI=1``.
When it is wrong: when one rank was meant, to see that a container starts, say; then the warning can be ignored.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.collectives import PLAIN
from slowlink.model.facts import Hardware, Sweeps
from slowlink.model.report import Finding
from slowlink.rules.evidence.commands import command
from slowlink.rules.evidence.findings import finding, line_evidence
from slowlink.rules.evidence.links_to_docs import NCCL_TESTS

CAUSES = ("one-rank",)


def check(sweeps: Sweeps, hardware: Hardware | None) -> Iterator[Finding]:
    """One finding, for the first such run. Runs side by side, whose lines are mixed, are built-without-mpi's."""
    single = [s for s in sweeps.all if s.nranks == 1 and not s.interleaved and (s.points or s.complete)]
    if not single:
        return
    first = single[0]
    ref = first.run.devices[0].ref if first.run.devices else first.run.header
    zero = "" if first.collective in PLAIN else "bus bandwidth is 0 by definition, "
    known = hardware.gpus_per_node if hardware is not None else None
    gpus, sizes = str(known) if known and known > 1 else "GPUS", ("-b", "8", "-e", "8G", "-f", "2")
    yield finding(
        "one-rank",
        f"{first.collective or 'the collective'} ran on one rank: {zero}no link was used",
        severity="warning",
        confidence="certain",
        evidence=[line_evidence(ref, observed="1 rank", expected="2 or more")],
        explains=("busbw-below-expected",),
        remedy=[
            ("Use all GPUs of the node.", command("all_reduce_perf", *sizes, "-g", gpus)),
            (
                "Or start one rank for each GPU through MPI.",
                command("mpirun", "-np", gpus, "./all_reduce_perf", *sizes, "-g", "1"),
            ),
        ],
        references=[f"{NCCL_TESTS}/blob/master/doc/PERFORMANCE.md"],
    )
