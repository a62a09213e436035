"""One test was measured with and without a setting, and somebody wrote down what it gave.

Rows of one table or list are compared: with each setting against the row without any, and a part that is on against
the same part off (ACS, IOMMU, GPUDirect RDMA, PFC ...). Launches of a healthy system differ by less than one tenth
(docs/physics.md, "Run-to-run variation").

Why it matters: this is a measurement of what the setting does on these nodes, and beats what anybody says of it.
How to confirm: both ways in turn (A B B A), three launches each.
What to do: set what makes it fast for every job (the job, module files, nccl.conf), and mend what the setting goes
around; leave out what makes it slow.
When it is wrong: something else changed between the rows. A setting that turns a part off was mostly made for this
comparison alone: where the test is fast without it, it is only noted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from slowlink.catalog.words.trials import Switch, cause_of_setting, switch_in
from slowlink.model.facts import Events
from slowlink.model.job import JobEvent
from slowlink.model.report import Finding, Severity
from slowlink.rules.evidence.findings import Proof, finding, line_evidence, suspects
from slowlink.rules.evidence.messages import happened

CAUSES = (
    "acs-enabled",
    "gdr-disabled",
    "gdr-level-too-strict",
    "gid-index-wrong",
    "gpu-busy",
    "gpu-persistence-off",
    "hca-list-incomplete",
    "hca-list-wrong",
    "ib-disabled-by-env",
    "iommu-translating",
    "net-plugin-not-loaded",
    "numa-balancing-on",
    "nvls-unavailable",
    "p2p-disabled",
    "pfc-ecn-settings",
    "rail-cross-traffic",
    "socket-interface-wrong",
    "topology-overridden",
    "tuning-harmful",
    "tuning-missing",
)


class Params(Struct, frozen=True):
    """From when a setting matters."""

    slow_share: float = 0.9
    """The slower row over the faster one."""
    sure_share: float = 0.7
    """Below this no chance explains it."""


def check(events: Events, params: Params) -> Iterator[Finding | Proof]:
    """One finding for each pair of rows that differ by one thing."""
    groups: dict[tuple[str, str], list[JobEvent]] = {}
    for event in happened(events, "trial-result"):
        groups.setdefault((event.ref.source, event.groups["group"]), []).append(event)
    for rows in groups.values():
        yield from _switches(rows, params)
        plain = [row for row in rows if "baseline" in row.groups]
        if plain:
            yield from _against(max(plain, key=_gbs), [row for row in rows if row.groups["settings"]], params)


def _gbs(row: JobEvent) -> float:
    return float(row.groups["gbs"])


def _unit(row: JobEvent) -> str:
    return row.groups.get("unit", "GB/s")


def _switches(rows: Sequence[JobEvent], params: Params) -> Iterator[Finding]:
    by_part: dict[str, list[tuple[Switch, JobEvent]]] = {}
    for row in rows:
        switch = switch_in(row.groups["label"])
        if switch is not None:
            by_part.setdefault(switch.name, []).append((switch, row))
    for found in by_part.values():
        on, off = ([pair for pair in found if pair[0].on is state] for state in (True, False))
        if not on or not off:
            continue
        switch = found[0][0]
        slow, fast = (on[0][1], off[0][1]) if switch.slow_when_on else (off[0][1], on[0][1])
        if _gbs(slow) < params.slow_share * _gbs(fast):
            yield _finding(switch.cause, slow, fast, "error", (), params)


def _against(plain: JobEvent, rows: Sequence[JobEvent], params: Params) -> Iterator[Finding | Proof]:
    """Each setting against the row without any: the one that gains most is what was missing."""
    better = [row for row in rows if _gbs(plain) < params.slow_share * _gbs(row)]
    if better:
        best = max(better, key=_gbs)
        names = _names(best)
        yield _finding(cause_of_setting(names[0], harmful=False), plain, best, "error", names, params)
    for row in rows:
        if _gbs(row) < params.slow_share * _gbs(plain):
            names = _names(row)
            cause = cause_of_setting(names[0], harmful=True)
            yield _finding(cause, row, plain, "info" if len(rows) > 1 else "warning", names, params)
    alike = all(params.slow_share * _gbs(plain) <= _gbs(row) <= _gbs(plain) / params.slow_share for row in rows)
    if rows and alike:
        said = (
            f"the test gives {_gbs(plain):g} {_unit(plain)} without any of {len(rows)} settings, and as much with them"
        )
        yield Proof(said, (line_evidence(plain.ref),), weight=0, measured=True)


def _names(row: JobEvent) -> tuple[str, ...]:
    return tuple(pair.partition("=")[0] for pair in row.groups["settings"].split())


def _finding(
    cause: str, slow: JobEvent, fast: JobEvent, severity: Severity, names: Sequence[str], params: Params
) -> Finding:
    share = _gbs(slow) / _gbs(fast)
    numbers = f"{_gbs(slow):g} {_unit(slow)} with '{slow.groups['label']}'"
    return finding(
        cause,
        f"the test reaches {numbers} and {_gbs(fast):g} with '{fast.groups['label']}': {1 - share:.0%} less",
        severity=severity,
        confidence="likely" if share < params.sure_share else "possible",
        evidence=[
            line_evidence(slow.ref, observed=f"{_gbs(slow):g} {_unit(slow)}", expected=f"{_gbs(fast):g}"),
            line_evidence(fast.ref, observed=f"{_gbs(fast):g} {_unit(fast)}"),
        ],
        suspects=suspects("setting", names),
        explains=("busbw-below-expected", "bandwidth-unstable", "hardware-unknown"),
        remedy=[
            ("Measure both ways in turn, three launches each.", ""),
            ("Set what makes it fast where every job has it, and mend what it goes around.", ""),
        ],
    )
