"""Node sets: ``node[01-16]``, the notation of the field. The only module that imports ClusterShell."""

from __future__ import annotations

from collections.abc import Iterable

from slowlink.errors import SlowlinkError


def expand(text: str) -> list[str]:
    """``node[01-03],login`` to names, in the order given. Raises SlowlinkError for a notation that cannot be read."""
    from ClusterShell.NodeSet import NodeSet, NodeSetException

    try:
        return list(NodeSet(text))
    except NodeSetException as error:
        raise SlowlinkError(
            f"cannot read the node set '{text}': {error}", hint="for instance node[01-16] or a,b,c", slug="bad-node-set"
        ) from error


def fold(names: Iterable[str]) -> str:
    """Names to ``node[01-03,7]``; names that fold badly stay as they are, joined with commas."""
    from ClusterShell.NodeSet import NodeSet, NodeSetException

    names = list(names)
    try:
        return str(NodeSet.fromlist(names))
    except NodeSetException:
        return ",".join(names)
