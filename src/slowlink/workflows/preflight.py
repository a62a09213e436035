"""Before ranks start over ssh: which nodes cannot take part, and why. All of them at once, where mpirun names one."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from slowlink.errors import SlowlinkError
from slowlink.launch.mpi_flags import found_mpi
from slowlink.launch.node_check import MISSING, Questions, Verdict, verdicts
from slowlink.nodes import fold

if TYPE_CHECKING:
    from slowlink.launch.interface import Surroundings
    from slowlink.workflows.launches.legs import Planned
    from slowlink.workflows.plan_run import Asked

_OWN_PYTHON = ("probe", "perftest")
"""Benchmarks whose ranks are started by slowlink's own Python."""
_ADVICE = {
    "no answer on the ssh port": "is it up? A firewall before port 22?",
    "no route to it": "is it up, and in this network?",
    "no ssh server there": "systemctl start sshd",
    "a node refuses the login": "ssh-add your key; try: ssh NODE true",
    "the host key of a node is not the one that was known": "installed anew? ssh-keygen -R NODE; otherwise ask why",
    "the name of a node is not known": "check the spelling, or give its address",
}


def ready(
    asked: Sequence[Asked],
    plans: Sequence[Planned],
    here: Surroundings,
    *,
    skip_bad: bool,
    tell: Callable[[str], None],
) -> tuple[list[Asked], dict[str, str]]:
    """``asked`` with the nodes that can take part, and the others with the reason.

    Looks only where a common job starts over ssh: of nodes by themselves a bad one costs the others nothing. Raises
    SlowlinkError (``nodes-not-ready``) where a node cannot take part, after ``tell`` has heard of each, unless
    ``skip_bad``; and always where less than one is left.
    """
    first = plans[0].prepared
    nodes = [node for node in first.allocation.nodes if node.name in set(first.plan.nodes)]
    if first.plan.launcher != "ssh" or first.each_node or not nodes:
        return list(asked), {}
    bad: dict[str, str] = {}
    for verdict in verdicts(nodes, here.programs["ssh"], _questions(plans, here)):
        if verdict.good:
            continue
        words = _words(verdict)
        tell(f"{fold(verdict.nodes)}: {words}")
        if _is_grave(verdict):
            bad |= {name: bad.get(name, words) for name in verdict.nodes}
    if not bad:
        return list(asked), {}
    left = [node for node in first.allocation.nodes if node.name not in bad]
    if not skip_bad or not left:
        raise SlowlinkError(
            f"{len(bad)} of {len(nodes)} nodes cannot take part: {fold(bad)}",
            hint=f"--skip-bad goes on with the other {len(left)}" if left else "slowlink nodes --check",
            slug="nodes-not-ready",
        )
    allocation = replace(first.allocation, nodes=tuple(left), basis=f"{first.allocation.basis} without {fold(bad)}")
    return [replace(each, allocation=allocation) for each in asked], bad


def _questions(plans: Sequence[Planned], here: Surroundings) -> Questions:
    """What the ranks of these plans need on each node."""
    programs = [found_mpi(here).path]
    programs += [
        path for leg in plans if (path := leg.prepared.program.path).startswith("/") and path != sys.executable
    ]
    own = any(leg.prepared.benchmark in _OWN_PYTHON for leg in plans)
    settings: Mapping[str, str] = plans[0].prepared.job.env
    return Questions(tuple(dict.fromkeys(programs)), sys.executable if own else None, settings)


def _is_grave(verdict: Verdict) -> bool:
    """Another version may do; what is not there does not."""
    is_version = bool(verdict.expected) and verdict.value not in (MISSING, verdict.expected)
    return not is_version


def _words(verdict: Verdict) -> str:
    advice = f"; {_ADVICE[verdict.value]}" if verdict.value in _ADVICE else ""
    if verdict.subject == "login":
        return f"{verdict.value}{advice}"
    expected = f" (here {verdict.expected})" if verdict.expected not in ("", verdict.value) else ""
    return f"{verdict.subject}: {verdict.value}{expected}{advice}"
