"""NCCL's RAS lists ranks on which NCCL reports an error.

A communicator whose initialisation failed, or that met an error later (a lost connection, a CUDA error), keeps that
result, and RAS shows it although the program may not look at it for a long time.

Why it matters: the ranks with the error have given up; all others wait for them.
How to confirm: the log of these ranks with ``NCCL_DEBUG=WARN`` names the reason in its first WARN line.
What to do: follow that first warning. ``remote process exited`` means another rank failed before.
When it is wrong: never as such. But the result names a class of errors, not the reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from slowlink.model.hang import Ras, RasError
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import NCCL_RAS
from slowlink.rules.evidence.messages import counted, listed
from slowlink.rules.hang.flight_phrases import rank_names

CAUSES = ("nccl-error-unexplained",)

_KINDS = {"init-error": "an error of initialisation", "async-error": "an asynchronous error"}


def check(ras: Ras) -> Iterator[Finding]:
    """One finding for all errors of the newest answer about each job; it names the kind that most ranks have."""
    for job in ras.jobs:
        errors = [e for comm in job.newest.communicators for e in comm.errors if e.kind in _KINDS]
        if errors:
            yield _finding(errors)


def _finding(errors: Sequence[RasError]) -> Finding:
    worst = max(errors, key=lambda error: error.count)
    members = [process for error in errors for process in error.members]
    ranks = sorted({process.rank for process in members if process.rank is not None})
    codes = list(dict.fromkeys(code for error in errors for code in error.codes))
    who = rank_names(ranks) if ranks else counted(worst.count, "rank")
    return finding(
        "nccl-error-unexplained",
        f"RAS lists {_KINDS[worst.kind]} on {who}" + (f": {listed(codes)}" if codes else ""),
        severity="critical",
        confidence="likely",
        evidence=lines_evidence((*(error.ref for error in errors), *(process.ref for process in members)), 4),
        suspects=(*suspects("rank", map(str, ranks)), *suspects("node", (process.host for process in members))),
        explains=("output-truncated", "rank-stuck"),
        remedy=[("Read the first warning of these ranks.", "NCCL_DEBUG=WARN ...")],
        references=[NCCL_RAS],
    )
