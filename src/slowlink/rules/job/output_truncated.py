"""The output ends in the middle of a run.

A run of nccl-tests ends with ``# Out of bounds values`` and ``# Avg bus bandwidth``. When these are missing the run
was killed, hung, or was cut out of a longer log; what was measured before stands, what comes after is unknown.

Why it matters: the largest sizes come last, so a truncated table is judged on sizes that say little.
How to confirm: look at the end of the original log, and at the launcher's messages around it.
What to do: keep the whole output; if the run really stopped there, rerun with NCCL_DEBUG=INFO and a time-out (``-T
120``).
When it is wrong: a table that was pasted without its last lines is complete as far as it goes; then this is only a
note.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Communicators, Events, MeasuredSweep, Network, PairSurvey, Sweeps
from slowlink.model.report import Finding, Severity
from slowlink.rules.evidence.findings import finding, line_evidence
from slowlink.rules.job.process_ends import stopped_by_user

CAUSES = ("output-truncated",)


def check(
    sweeps: Sweeps,
    events: Events | None,
    survey: PairSurvey | None,
    communicators: Communicators | None,
    network: Network | None,
) -> Iterator[Finding]:
    """One finding for each run without an end. In a survey of pairs a few unfinished runs are not the whole result."""
    logged = communicators is not None or network is not None
    for sweep in sweeps.all:
        if sweep.run.concluded or sweep.run.masked:
            continue
        stopped = stopped_by_user(events) and not sweep.run.errors
        failed = bool(sweep.run.errors) or (events is not None and not stopped)
        judged = _judge(sweep, failed=failed, logged=logged)
        if judged is not None:
            severity, what = judged
            if stopped and severity == "error":
                severity = "info"
            why = "somebody ended it" if stopped else "it was killed, it hung, or the log was cut"
            yield _finding(sweep, "error" if survey is not None and severity == "critical" else severity, what, why)


def _judge(sweep: MeasuredSweep, *, failed: bool, logged: bool) -> tuple[Severity, str] | None:
    """How bad a missing end is. NCCL's own lines after the header show that the run was alive when the log ends."""
    started = sweep.run.header_only or bool(sweep.run.devices)
    if sweep.run.rows == 0 and started:
        if logged and not failed:
            return "warning", "has no row yet where the log ends"
        return "critical", "printed its header and not one row"
    if sweep.run.torn_rows and sweep.run.torn_rows[-1] == sweep.run.end:
        return "error", "stops in the middle of a row"
    if sweep.run.devices:
        return "error" if failed else "info", f"stops after {_counted(sweep.run.rows)}, without the closing lines"
    return None


def _counted(rows: int) -> str:
    return "1 row" if rows == 1 else f"{rows} rows"


def _finding(sweep: MeasuredSweep, severity: Severity, what: str, why: str) -> Finding:
    last = sweep.run.end or sweep.run.header
    return finding(
        "output-truncated",
        f"the run of {sweep.collective or 'a collective'} at line {sweep.run.header.line} {what}: {why}",
        severity=severity,
        confidence="likely" if severity == "critical" else "possible",
        evidence=[line_evidence(last, observed="the last line of this run", expected="# Avg bus bandwidth")],
        remedy=[
            (
                "Run again with NCCL's own log and a time-out, and keep all of it.",
                f"NCCL_DEBUG=INFO {sweep.collective or 'all_reduce'}_perf ... -T 120",
            )
        ],
    )
