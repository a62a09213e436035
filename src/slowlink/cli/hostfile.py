"""``--good``: the good nodes, one a line. A hostfile goes to ssh and mpirun: what others call a node may be an option,
a command or many nodes, and an empty one may be taken for this very host alone."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from slowlink.cli.pipes import note
from slowlink.cli.written_files import is_stream, write_report
from slowlink.errors import SlowlinkError
from slowlink.rules.evidence.commands import as_node

_SHOWN, _SHOWN_CHARS = 3, 40


def write_hostfile(path: Path, nodes: Iterable[str]) -> None:
    """Where none of ``nodes`` is a host, no file is there afterwards: one of an earlier time names nodes of which
    nothing is known now. Raises SlowlinkError (``output-unwritable``)."""
    hosts = hosts_of(nodes, str(path))
    if hosts:
        write_report(path, "".join(f"{host}\n" for host in hosts))
        return
    if not is_stream(path):
        _take_away(path)
    note(f"slowlink: no node is known to be good, so there is no hostfile {path}")


def hosts_of(nodes: Iterable[str], place: str) -> list[str]:
    """Those that a host can be called, and a word on the others, which do not get into ``place``."""
    nodes = tuple(nodes)
    hosts = [node for node in nodes if as_node(node) == node]
    if left_out := [node for node in nodes if as_node(node) != node]:
        shown = ", ".join(repr(node[:_SHOWN_CHARS]) for node in left_out[:_SHOWN])
        more = f" and {len(left_out) - _SHOWN} more" if len(left_out) > _SHOWN else ""
        note(f"slowlink: not written to {place}, since no host is called so: {shown}{more}")
    return hosts


def _take_away(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as problem:
        raise SlowlinkError(
            f"no node is known to be good, and {path}, of an earlier time, cannot be taken away: {problem.strerror}",
            hint="do not use it",
            slug="output-unwritable",
        ) from problem
