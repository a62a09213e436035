"""The question to a single node that a command names, or to this machine."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from slowlink.errors import SlowlinkError

if TYPE_CHECKING:
    from slowlink.collectors.catalogue import Collector
    from slowlink.workflows.snapshot import Question


def question_to(
    node: str | None, on: str | None, collectors: Sequence[Collector], *, limit_s: float, root: str = ""
) -> Question:
    """``node``: None is this machine. Raises SlowlinkError for what is no node, and where no way leads there."""
    from slowlink.launch.surroundings import find_programs
    from slowlink.workflows.nodes_given import NodeChoice, chosen_nodes
    from slowlink.workflows.snapshot import Question
    from slowlink.workflows.snapshot_nodes import Given, destination

    if root and not root.startswith("/"):
        raise SlowlinkError(f"--root {root}: not an absolute path", hint="for instance /host", slug="usage")
    allocation = chosen_nodes(NodeChoice(node)) if node is not None else None
    way = on or (None if node is not None else "local")
    nodes, reached, _ = destination(Given(way, allocation), os.environ, find_programs())
    if len(nodes.nodes) != 1:
        raise SlowlinkError(f"{len(nodes.nodes)} nodes; one is asked", hint="name one node", slug="usage")
    return Question(
        allocation=nodes,
        way=reached,
        collectors=tuple(collectors),
        limit_s=limit_s,
        root=root.rstrip("/"),
        twice=False,
    )
