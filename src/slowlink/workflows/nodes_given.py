"""The nodes that options name."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from slowlink.bundle.reader import read_bundle
from slowlink.errors import SlowlinkError
from slowlink.inputs.standard_input import standard_input_text
from slowlink.launch.hostfiles import parse_hostfile
from slowlink.launch.node_lists import from_node_set, refuse_other_names
from slowlink.model.plan import Allocation, Ended, Node
from slowlink.nodes import expand, fold

_MOST_BYTES = 64 << 20


class NodeChoice(NamedTuple):
    """What ``--nodes``, ``--hostfile``, ``--retry`` and ``--exclude`` said."""

    node_set: str | None = None
    hostfile: str | None = None
    retry: str | None = None
    exclude: tuple[str, ...] = ()


def allocation_of(node_set: str | None, hostfile: str | None) -> Allocation | None:
    """From ``--nodes`` or ``--hostfile`` (``-``: standard input); None when neither is given. Raises SlowlinkError."""
    return chosen_nodes(NodeChoice(node_set, hostfile))


def chosen_nodes(choice: NodeChoice) -> Allocation | None:
    """None when nothing names nodes. Raises SlowlinkError for two sources, and where no node is left."""
    sources = {"--nodes": choice.node_set, "--hostfile": choice.hostfile, "--retry": choice.retry}
    given = [name for name, value in sources.items() if value is not None]
    if len(given) > 1:
        raise SlowlinkError("nodes come from one place", hint=f"one of {', '.join(given)}", slug="usage")
    if not given:
        if choice.exclude:
            raise SlowlinkError(
                "--exclude leaves out some of the nodes that are named, and none are",
                hint='--nodes SET; in a Slurm allocation --nodes "$SLURM_JOB_NODELIST"',
                slug="usage",
            )
        return None
    return without(_named(choice), choice.exclude)


def _named(choice: NodeChoice) -> Allocation:
    if choice.node_set is not None:
        return from_node_set(choice.node_set, read=_hostfile)
    if choice.retry is not None:
        return _failed_before(choice.retry)
    return _hostfile(choice.hostfile or "-")


def _hostfile(path: str) -> Allocation:
    if path == "-":
        return parse_hostfile(standard_input_text(_MOST_BYTES), "standard input")
    try:
        with Path(path).open(encoding="utf-8", errors="replace") as file:
            return parse_hostfile(file.read(_MOST_BYTES), path)
    except OSError as error:
        raise SlowlinkError(
            f"cannot read the hostfile {path}: {error.strerror}", hint="check the path", slug="input-not-found"
        ) from error


def _failed_before(bundle: str) -> Allocation:
    """The nodes of an earlier bundle that did not answer, or whose program did not end well."""
    manifest = read_bundle(bundle).manifest
    names: dict[str, None] = {}
    for capture in manifest.captures if manifest is not None else ():
        if capture.ended is not None and _failed(capture.ended):
            names |= dict.fromkeys(capture.ended.nodes or ((capture.node,) if capture.node else ()))
    if manifest is not None and manifest.anonymized and names:
        raise SlowlinkError(
            f"the names of nodes in {bundle} were replaced", hint="give them by --nodes", slug="bundle-anonymized"
        )
    if not names:
        raise SlowlinkError(f"no node of {bundle} failed", hint="nothing is to be done again", slug="no-nodes")
    refuse_other_names(names, f"the bundle {bundle}", "somebody else may have written it; --nodes names them")
    return Allocation(tuple(map(Node, names)), basis=f"nodes that failed in {bundle}")


def _failed(ended: Ended) -> bool:
    return ended.reason not in ("exited", "written", "enough", "interrupted") or bool(ended.status or ended.signal)


def without(allocation: Allocation, excluded: Iterable[str]) -> Allocation:
    """``allocation`` but for these node sets. Raises SlowlinkError for a node that is not in it, or when none stays."""
    names = {name for text in excluded for name in expand(text, groups=True)}
    if not names:
        return allocation
    unknown = names - {node.name for node in allocation.nodes}
    if unknown:
        raise SlowlinkError(
            f"--exclude {fold(sorted(unknown))}: not among the nodes ({allocation.basis})",
            hint="check the spelling: a node that stays in by a slip would be taken",
            slug="usage",
        )
    left = tuple(node for node in allocation.nodes if node.name not in names)
    if not left:
        raise SlowlinkError("--exclude leaves no node", hint="leave out fewer", slug="no-nodes")
    return replace(allocation, nodes=left, basis=f"{allocation.basis} without {fold(sorted(names))}")
