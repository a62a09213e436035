"""From a few lines of a log to what one rule says of them, through the real parsers."""

from __future__ import annotations

from slowlink.facts.assemble import assemble
from slowlink.inputs import Input
from slowlink.model.report import Diagnosis, Finding
from slowlink.parsers.reading.read import read
from slowlink.rules.diagnosis import diagnose
from slowlink.rules.engine import discover, run


def findings_of(rule: str, *texts: str) -> tuple[Finding, ...]:
    """What this rule finds in these sources. A rule that breaks fails the test."""
    inputs = [Input(f"job{number}.log", None, [text.encode()]) for number, text in enumerate(texts)]
    checked = run(assemble(read(inputs, workers=1)), None, rules=[r for r in discover() if r.id == rule])
    assert [outcome.reason for outcome in checked.outcomes if outcome.outcome == "broken"] == []
    assert len(checked.outcomes) == 1, f"no rule {rule}"
    return checked.findings


def diagnoses_of(*texts: str) -> tuple[Diagnosis, ...]:
    """The root causes that all rules together find in these sources."""
    inputs = [Input(f"job{number}.log", None, [text.encode()]) for number, text in enumerate(texts)]
    return diagnose(run(assemble(read(inputs, workers=1)), None).findings)


def said(rule: str, *texts: str) -> list[tuple[str, str, str, str]]:
    """(cause, severity, confidence, message) of each finding."""
    return [(f.cause, f.severity, f.confidence, f.message) for f in findings_of(rule, *texts)]


def remedies_of(rule: str, *texts: str) -> list[list[tuple[str, str]]]:
    """The whole remedy of each finding: what to do in words, and the command for it or ""."""
    return [remedy_of(found) for found in findings_of(rule, *texts)]


def remedy_of(found: Finding) -> list[tuple[str, str]]:
    """(words, command) of each step."""
    return [(step.text, step.command) for step in found.remedy]


HEADER = (
    "# nccl-tests version 2.17.6 nccl-headers=22907 nccl-library=22907\n"
    "# Collective test starting: all_reduce_perf\n"
    "# nThread 1 nGpus 1 minBytes 8 maxBytes 134217728 step: 2(factor) warmup iters: 1 iters: 20 agg iters: 1 "
    "validation: 1 graph: 0\n#\n# Using devices\n"
)
COLUMNS = (
    "#\n#                                         out-of-place                       in-place\n"
    "#       size     count  type redop  root    time   algbw   busbw  #wrong    time   algbw   busbw  #wrong\n"
    "#        (B)  (elements)                    (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)\n"
)
ROW = "   134217728  33554432 float   sum    -1 14278.5    9.40    9.40       0 14278.5    9.40    9.40       0\n"
FOOTER = "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 9.4\n#\n"


def table(nranks: int = 2, hosts: tuple[str, ...] = ("node01", "node02")) -> str:
    """A run of all_reduce_perf, with one device a rank, spread over the hosts in turn."""
    devices = "".join(
        f"#  Rank {rank:2} Group  0 Pid {4000 + rank} on {hosts[rank % len(hosts)]} device  {rank} [0000:1b:00] GPU X\n"
        for rank in range(nranks)
    )
    # One rank reduces with nobody: its bus bandwidth is nothing.
    return HEADER + devices + COLUMNS + (ROW if nranks > 1 else ROW.replace("9.40    9.40", "9.40    0.00")) + FOOTER
