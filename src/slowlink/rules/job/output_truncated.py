"""The output ends in the middle of a run.

A run of nccl-tests ends with ``# Out of bounds values`` and ``# Avg bus bandwidth``. When these are missing the run
was killed, hung, or was cut out of a longer log. What was measured before remains valid; what comes after is unknown.
A header without a row is critical, a row cut in the middle an error. A list of devices without the heading of a table
is a warning: excerpts end there, and so do runs that hang while NCCL starts. Whole rows are an error where something
else in the input says that the job failed; otherwise a warning where larger sizes were announced (a run that hangs
looks the same), and a note where all sizes are there. It is a note, too, when somebody ended the job by hand, and at
most a warning where the input itself is damaged or was not read to its end: then nobody knows how the run went on.
Where the run came to its end and no number of its largest sizes can be used (torn, nan, or at odds with the rest of its
row), it is a warning: smaller sizes prove nothing of them.

Why it matters: the largest sizes come last, so a truncated table is judged on sizes that say little.
How to confirm: look at the end of the original log, and at the launcher's messages around it.
What to do: keep the whole output; if the run really stopped there, run it again with ``NCCL_DEBUG=INFO`` and a
time-out (``-T 120``).
When it is wrong: a table that was pasted without its last lines is complete as far as it goes. A log that ends while
NCCL still starts may have been copied too early, which is a warning.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from slowlink.model.facts import Communicators, Events, MeasuredSweep, Network, PairSurvey, Sources, Sweeps
from slowlink.model.report import Finding, Severity
from slowlink.rules.evidence.commands import as_benchmark, command
from slowlink.rules.evidence.findings import finding, line_evidence
from slowlink.rules.evidence.messages import counted
from slowlink.rules.job.process_ends import ended_by_us, stopped_by_user
from slowlink.units import format_size

CAUSES = ("output-truncated",)


class _Stop(NamedTuple):
    """Where a run stopped, and how bad that is."""

    severity: Severity
    words: str


def check(
    sweeps: Sweeps,
    events: Events | None,
    survey: PairSurvey | None,
    communicators: Communicators | None,
    network: Network | None,
    sources: Sources,
) -> Iterator[Finding]:
    """One finding for each run without an end. In a survey of pairs a few unfinished runs are not the whole result."""
    damaged = {source.path for source in sources.all if source.partial}
    logged = communicators is not None or network is not None
    by_user, by_us = stopped_by_user(events), ended_by_us(events)
    for sweep in sweeps.all:
        if sweep.run.masked:
            continue  # somebody replaced its numbers by X
        yield from _unusable_end(sweep)
        if sweep.run.concluded:
            continue
        stopped = by_user and not sweep.run.errors
        failed = bool(sweep.run.errors) or (events is not None and not stopped)
        stop = _stop(sweep, failed=failed, logged=logged)
        if stop is None:
            continue
        severity = stop.severity
        if stopped and (sweep.run.rows or by_us):
            severity = "info"
        elif survey is not None and severity == "critical":
            severity = "error"
        why = "somebody ended it" if stopped else "it was killed, it hung, or the log was cut"
        if sweep.run.source in damaged and not failed:
            severity, why = "info" if severity == "info" else "warning", "the input itself was not read to its end"
        yield _finding(sweep, severity, stop.words, why, logged)


def _unusable_end(sweep: MeasuredSweep) -> Iterator[Finding]:
    """What is wrong with the largest sizes, where the run has numbers and none of theirs can be used."""
    largest = max((point.size_bytes for point in sweep.points), default=None)
    if largest is None or sweep.run.points[-1].doubt is None:
        return
    beyond = [point for point in sweep.run.points if point.size_bytes > largest and point.doubt is not None]
    if not beyond:
        return
    yield finding(
        "output-truncated",
        f"the run of {sweep.collective or 'a collective'} at line {sweep.run.header.line} has no number above "
        f"{format_size(largest)} that can be used: {beyond[0].doubt}",
        severity="warning",
        confidence="likely",
        evidence=[line_evidence(beyond[0].ref, observed=str(beyond[0].doubt), expected="a number that fits its row")],
        remedy=[("Get the output again, as it was printed.", command(as_benchmark(sweep.collective), "..."))],
    )


def _stop(sweep: MeasuredSweep, *, failed: bool, logged: bool) -> _Stop | None:
    """Where the run stopped. NCCL's own lines after the header show that it was alive when the log ends.

    None for a bare table: without header and devices nobody printed closing lines that could be missing.
    """
    started = sweep.run.header_only or bool(sweep.run.devices)
    if sweep.run.rows == 0 and started:
        if logged and not failed:
            return _Stop("warning", "has no row yet where the log ends")
        if not sweep.run.columns and not failed:
            return _Stop("warning", "lists its devices, and no table follows")
        return _Stop("critical", "printed its header and not one row")
    if sweep.run.torn_rows and sweep.run.torn_rows[-1] == sweep.run.end:
        return _Stop("error", "stops in the middle of a row")
    rows = counted(sweep.run.rows, "row")
    if sweep.run.unreached_bytes is not None:
        words = f"stops after {rows}, before the {format_size(sweep.run.unreached_bytes)} that it announces"
        return _Stop("error" if failed else "warning", words)
    if sweep.run.devices:
        return _Stop("error" if failed else "info", f"stops after {rows}, without the closing lines")
    return None


def _finding(sweep: MeasuredSweep, severity: Severity, what: str, why: str, logged: bool) -> Finding:
    """``logged``: NCCL's own log is there."""
    last = sweep.run.end or sweep.run.header
    program = as_benchmark(sweep.collective) if sweep.collective else "PROGRAM"
    return finding(
        "output-truncated",
        f"the run of {sweep.collective or 'a collective'} at line {sweep.run.header.line} {what}: {why}",
        severity=severity,
        confidence="likely" if severity == "critical" else "possible",
        evidence=[line_evidence(last, observed="the benchmark's last line", expected="# Avg bus bandwidth")],
        remedy=[
            ("Run again with a time-out, and keep all of the log.", command(program, "...", "-T", "120"))
            if logged
            else (
                "Run again with NCCL's own log and a time-out, and keep all of it.",
                command("NCCL_DEBUG=INFO", program, "...", "-T", "120"),
            )
        ],
    )
