"""A rank of the run stands still, and the others wait for it.

While nothing is heard of a run, slowlink looks at the processes of its ranks on their nodes (``/proc``): one that
a signal or a debugger has stopped, one that has ended and was not noticed, one that the kernel holds in a device or a
file server, or one that does nothing while the others spin in the collective. Two looks that agree are certain for
the first two; a process that waits in the kernel may be let go in the next moment, so that is likely once it was seen
twice; idleness is possible only. Ranks that end while a run is looked at are its end, as long as no other is seen
after them.

Why it matters: the collective waits for its last rank for as long as that takes, without a word from any program.
How to confirm: ``ps -o pid,stat,wchan:32,time,cmd -p PID`` on that node; for Python ``py-spy dump --pid PID``.
What to do: let a stopped process go on (``kill -CONT``), or find who stopped it; see ``dmesg`` for what ended one;
repair the file server or the device that does not answer.
When it is wrong: somebody debugs that rank on purpose; a rank that loads data before it joins a collective is
idle by right.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from slowlink.facts.hang.standing import Standing, standing
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Confidence, Finding, Severity
from slowlink.rules.evidence.commands import command
from slowlink.rules.evidence.findings import Step, finding, line_evidence, suspects
from slowlink.rules.evidence.messages import counted
from slowlink.rules.hang.remedies import SEE_WHAT_ENDED_IT

CAUSES = ("rank-stuck", "rank-lost")

_EXPLAINS = ("output-truncated", "rank-stuck", "rank-lost", "time-limit", "run-interrupted", "nccl-error-unexplained")
_MOST_NAMED = 3


def check(
    readings: Annotated[Readings, Of("rank-state", "rank-number", "rank-cpu", "rank-waits-in", "process-name")],
) -> Iterator[Finding]:
    """One finding for the ranks that stand still in the gravest way."""
    found = standing(readings.all)
    if not found:
        return
    same = [each for each in found if each.how == found[0].how]
    lost = same[0].how == "ended"
    severity, confidence = _weight(same)
    more = f", and {counted(len(same) - _MOST_NAMED, 'more rank')}" if len(same) > _MOST_NAMED else ""
    yield finding(
        "rank-lost" if lost else "rank-stuck",
        "; ".join(each.words for each in same[:_MOST_NAMED]) + more + "; the other ranks wait",
        severity=severity,
        confidence=confidence,
        evidence=[line_evidence(each.state.ref, expected="state R or S") for each in same[:_MOST_NAMED]],
        suspects=(
            *suspects("rank", [str(each.rank) for each in same if each.rank is not None]),
            *suspects("node", dict.fromkeys(each.node for each in same)),
        ),
        explains=_EXPLAINS,
        remedy=[*_steps(same[0])],
    )


def _weight(same: Sequence[Standing]) -> tuple[Severity, Confidence]:
    twice = any(each.before for each in same)
    if same[0].how in ("stopped", "ended"):
        return "critical", "certain" if twice else "likely"
    if same[0].how == "in-kernel":
        return ("critical", "likely") if twice else ("warning", "possible")
    return "warning", "possible"


def _steps(one: Standing) -> Iterator[Step]:
    if one.how == "stopped":
        yield Step(
            f"See on {one.node} who stopped it: a debugger, a scheduler. Let it go on if it still runs.",
            command("kill", "-CONT", str(one.pid)),
        )
    elif one.how == "ended":
        yield SEE_WHAT_ENDED_IT
    else:
        yield Step(
            f"See on {one.node} where it waits.", command("ps", "-o", "pid,stat,wchan:32,time,comm", "-p", str(one.pid))
        )
        yield Step("Where it is a Python program, read its stack.", command("py-spy", "dump", "--pid", str(one.pid)))
