"""A node was restarted not long ago.

What lasts until the next boot only is at its default on such a node: modules that nobody loads at boot, persistence
mode, application clocks, ACS, limits. That explains why it differs from its peers, and why what it ran is gone. A node
counts as restarted when it has run for less than an hour while most others have run for days, or when its boot id
changed between two readings. Where somebody says that a job on these nodes hangs or crashed, that is what ended it.

Why it matters: "it worked yesterday" has an answer, and a node that restarts by itself is sick.
How to confirm: ``uptime``; ``last reboot``; the kernel log of the boot before (``journalctl -k -b -1``) ends with the
reason.
What to do: apply the settings of nodes again, and make them last; if nobody restarted it, look for heat, power and
machine checks.
When it is wrong: it is new, or came back from repair.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from msgspec import Struct

from slowlink.averages import median
from slowlink.facts.readings import by_attribute, by_part, latest, name_of_node
from slowlink.model.facts import Observations, Of, Readings
from slowlink.model.job import Observation
from slowlink.model.report import Finding
from slowlink.model.state import Reading
from slowlink.parsers.complaints.told_trouble import KIND
from slowlink.rules.evidence.findings import Step, finding, line_evidence
from slowlink.rules.evidence.node_readings import node_suspects, on_nodes, reading_evidence

CAUSES = ("rebooted",)

_STEPS = (
    Step("See who restarted it and how the boot before ended.", "last -x reboot shutdown; journalctl -k -b -1 -n 100"),
    Step("Compare the settings of this node with another's.", "slowlink snapshot"),
)

_ENDED = ("hanging", "crashing")
"""What is said of a job that lost a node; a slow one has all of its own."""


class Params(Struct, frozen=True):
    """What "not long ago" means."""

    short_s: int = 3_600
    """A node that has run for less may have been restarted."""
    long_s: int = 2 * 86_400
    """... when the middle one of its peers has run for at least this."""
    fewest_peers: int = 2
    """Other nodes that must tell."""


def check(
    readings: Annotated[Readings, Of("node-uptime", "boot-id")], observations: Observations | None, params: Params
) -> Iterator[Finding]:
    """One finding for the nodes that differ from their peers, and one for those that were restarted in between."""
    told = [seen for seen in observations.all if seen.kind == KIND and seen.value in _ENDED] if observations else []
    uptimes = list(latest(by_attribute(readings, "node-uptime")).values())
    short = [r for r in uptimes if name_of_node(r) and _seconds(r) < params.short_s]
    others = [_seconds(r) for r in uptimes if _seconds(r) >= params.short_s]
    if short and len(others) >= params.fewest_peers and median(others) >= params.long_s and len(short) < len(others):
        longest = max(_seconds(r) for r in short)
        yield _finding(
            f"{on_nodes(short)}started within the last {max(1, round(longest / 60))} minutes, while the other nodes "
            f"have run for {median(others) / 86_400:.0f} days",
            short,
            told,
        )
    changed = [series[-1] for series in by_part(by_attribute(readings, "boot-id")).values() if _was_restarted(series)]
    if changed:
        yield _finding(f"{on_nodes(changed)}restarted between two readings: the boot id changed", changed, told)


def _was_restarted(series: list[Reading]) -> bool:
    """Only of a node that is named: sources of two nodes without names look like one."""
    return name_of_node(series[0]) is not None and len({reading.value for reading in series}) > 1


def _seconds(reading: Reading) -> float:
    return float(reading.value) if isinstance(reading.value, (int, float)) else 0.0


def _finding(message: str, readings: list[Reading], told: Sequence[Observation]) -> Finding:
    """``told``: what somebody says of a job that does not go on. A node that was restarted has lost its ranks."""
    return finding(
        "rebooted",
        message + ("; a job is said not to go on" if told else ""),
        severity="critical" if told else "info",
        confidence="likely" if told else "certain",
        evidence=[*reading_evidence(readings), *(line_evidence(seen.ref) for seen in told[:2])],
        explains=("trouble-told", "rank-lost", "rank-stuck") if told else (),
        suspects=node_suspects(readings),
        remedy=_STEPS,
    )
