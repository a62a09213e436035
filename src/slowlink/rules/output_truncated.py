"""The output ends in the middle of a run.

A run of nccl-tests ends with ``# Out of bounds values`` and ``# Avg bus bandwidth``. When these are missing the run was
killed, hung, or was cut out of a longer log; what was measured before stands, what comes after is unknown.

Why it matters: the largest sizes come last, so a truncated table is judged on sizes that say little.
How to confirm: look at the end of the original log, and at the launcher's messages around it.
What to do: keep the whole output; if the run really stopped there, rerun with NCCL_DEBUG=INFO and a time-out (``-T 120``).
When it is wrong: a table that was pasted without its last lines is complete as far as it goes; then this is only a note.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Events, MeasuredSweep, Sweeps
from slowlink.model.report import Finding, Severity
from slowlink.rules.findings import finding, line


def check(sweeps: Sweeps, events: Events | None) -> Iterator[Finding]:
    """One finding for each run without an end."""
    for sweep in sweeps.all:
        if sweep.run.concluded or sweep.run.masked:
            continue
        started = sweep.run.header_only or bool(sweep.run.devices)
        failed = bool(sweep.run.errors) or events is not None
        if sweep.run.rows == 0 and started:
            yield _finding(sweep, "critical", "printed its header and not one row")
        elif sweep.run.torn_rows and sweep.run.torn_rows[-1] == sweep.run.end:
            yield _finding(sweep, "error", "stops in the middle of a row")
        elif sweep.run.devices and failed:
            yield _finding(sweep, "error", f"stops after {sweep.run.rows} rows, without the closing lines")
        elif sweep.run.devices:
            yield _finding(sweep, "info", f"has {sweep.run.rows} rows and no closing lines")


def _finding(sweep: MeasuredSweep, severity: Severity, what: str) -> Finding:
    last = sweep.run.end or sweep.run.header
    return finding(
        "output-truncated",
        f"the run of {sweep.collective or 'a collective'} at line {sweep.run.header.line} {what}: it was killed, it hung, "
        "or the log was cut",
        severity=severity,
        confidence="likely" if severity == "critical" else "possible",
        evidence=[line(last, observed="the last line of this run", expected="# Avg bus bandwidth")],
        remedy=[("Run again with NCCL's own log and a time-out, and keep all of it.", "NCCL_DEBUG=INFO all_reduce_perf ... -T 120")],
    )
