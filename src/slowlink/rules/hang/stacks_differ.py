"""Stacks of processes (py-spy) show what a job stands in: all wait, or a few do something else.

Of ranks that call the same collectives, those that wait in one are not the reason: they came. A main thread that reads
data, writes a checkpoint or stands in a debugger meanwhile is what they wait for. Where all stacks that were taken
wait, the reason is among the ranks whose stacks were not.

Why it matters: every GPU of the job stands still for the slowest of its ranks, and shows as busy.
How to confirm: take the stacks again half a minute later: who is in the same frame has not moved.
What to do: what the stack shows: the file or the storage that is read, the branch that only this rank takes. Take the
stacks of all ranks, on all nodes.
When it is wrong: the job runs, and each stack is a moment of it; one alone proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from slowlink.model.facts import Observations
from slowlink.model.hang import Ras
from slowlink.model.job import Observation
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import Step, finding, lines_evidence, suspects
from slowlink.rules.evidence.messages import counted
from slowlink.rules.hang.remedies import READ_STACK
from slowlink.rules.hang.stacks import all_stacks, doing, keeps_away, waits

CAUSES = ("rank-stuck",)
_READ_ALL = Step(
    "Take the stacks of all ranks, on all nodes, and look for the one that differs.", "py-spy dump --pid PID"
)


def check(observations: Observations, ras: Ras | None) -> Iterator[Finding]:
    """One finding for the fewer that do something else, or what all do; none beside RAS, which knows the ranks."""
    seen = all_stacks(observations) if ras is None else ()
    waiting = [each for each in seen if waits([each])]
    away = [each for each in seen if keeps_away([each])]
    if away and len(away) < len(waiting):
        others = counted(len(waiting), "other waits", "others wait")
        yield _finding(away, f"{_who(away)}{doing(away)}, while {others} in a collective", sure=True)
    elif waiting and not away:
        missing = "the stacks of the other ranks would show for whom"
        yield _finding(waiting, f"{_who(waiting)}{doing(waiting)}; {missing}", sure=False)


def _who(seen: Sequence[Observation]) -> str:
    return (
        f"{counted(len(seen), 'process')} of {counted(len(hosts), 'node')}: " if len(hosts := _hosts(seen)) > 1 else ""
    )


def _hosts(seen: Sequence[Observation]) -> list[str]:
    return list(dict.fromkeys(each.host for each in seen if each.host))


def _finding(seen: Sequence[Observation], message: str, *, sure: bool) -> Finding:
    return finding(
        "rank-stuck",
        message,
        severity="warning" if sure else "info",
        confidence="possible",
        evidence=lines_evidence((each.ref for each in seen), 3),
        suspects=(*suspects("process", (each.subject for each in seen)), *suspects("node", _hosts(seen)))
        if sure
        else (),
        remedy=[READ_STACK if sure else _READ_ALL],
    )
