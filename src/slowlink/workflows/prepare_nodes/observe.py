"""Asks nodes what their settings are. Changes nothing."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from msgspec import Struct, field

from slowlink.launch.fanout.ask import Answer, ask
from slowlink.launch.fanout.ways import Way
from slowlink.model.plan import Node
from slowlink.model.prepared import Observed
from slowlink.workflows.prepare_nodes.answers import read_values
from slowlink.workflows.prepare_nodes.script import read_script

_READ_S = 60.0


class Reach(Struct, frozen=True):
    """How nodes are reached, and how long they may take."""

    way: Way
    root: str = ""
    """Where the nodes' root file system is, seen from the shell that the way leads to."""
    sudo: bool = False
    timeout_s: float = 300.0
    start_s: int = 15
    """A script that has not begun so many seconds after it was sent touches nothing any more."""
    clock: Callable[[], float] = field(default=time.monotonic)


class Seen(Struct, frozen=True):
    """One node as it was observed, and when."""

    observed: Observed
    asked_at: float
    """By ``Reach.clock``: not later than the node read its own clock."""


def observe(nodes: Sequence[Node], names: Sequence[str], reach: Reach) -> list[Seen]:
    """Every node's values of these settings, in the order of ``nodes``."""
    began: dict[str, float] = {}

    def heard(answer: Answer) -> None:
        began[answer.node] = reach.clock() - answer.seconds

    script = read_script(names, reach.root, sudo=reach.sudo)
    found = ask(nodes, script, reach.way, timeout_s=min(_READ_S, reach.timeout_s), on_answer=heard)
    return [
        Seen(read_values(node, answer.stdout, trouble_of(answer), names), began[answer.node])
        for node, answer in zip(nodes, found, strict=True)
    ]


def trouble_of(answer: Answer) -> str:
    """Why an answer is not whole; a shell that is not there ends with 127 and says so on its standard error."""
    if answer.trouble or "slowlink-prepare " in answer.stdout:
        return answer.trouble
    words = answer.stderr.strip().splitlines()
    return words[-1][:200] if words else "it printed nothing"


def deadline(uptime_s: int, asked_at: float, reach: Reach) -> int:
    """Uptime of a node up to which a script that is sent now may begin."""
    return uptime_s + int(reach.clock() - asked_at) + 1 + reach.start_s
