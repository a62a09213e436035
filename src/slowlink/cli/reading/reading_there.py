"""``analyze --nodes SET PATH...``: logs that lie on other machines."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from slowlink.cli.options import NodeCount
from slowlink.cli.pipes import note
from slowlink.cli.progress import NodesHeard
from slowlink.cli.quantities import FiniteRange
from slowlink.errors import SlowlinkError

if TYPE_CHECKING:
    from slowlink.model.facts import Hardware
    from slowlink.model.policy import Policy
    from slowlink.workflows.read_there.ask import Node, Question
    from slowlink.workflows.read_there.report import Heap

_SECONDS = 300.0
_SOURCES = ("nodes", "hostfile", "pods")
F = TypeVar("F", bound=Callable[..., object])


class _NodesOrCount(NodeCount):
    """``4``: how many nodes the job has. ``gpu[01-04]``: where the logs lie."""

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int | str:  # type: ignore[override]
        text = str(value).strip()
        return super().convert(text, param, ctx) if text.isascii() and text.isdecimal() else text


def there_options(function: F) -> F:
    """``--nodes --hostfile --on`` and what goes with them."""
    for option in (
        click.option("--fanout", type=click.IntRange(1, 1024), default=64, show_default=True, help="Nodes at once."),
        click.option(
            "--timeout", type=FiniteRange(min=0, min_open=True), metavar="SECONDS", default=_SECONDS,
            show_default=True, help="For reading on one node.",
        ),
        click.option(
            "--slowlink", "program", metavar="PROGRAM",
            help="slowlink on the nodes; default: at the same path as here, or on PATH there.",
        ),
        click.option("--namespace", help="Kubernetes."),
        click.option("--context", help="Kubernetes."),
        click.option("--pods", metavar="LABELS", help="Kubernetes: one running pod with these labels on each node."),
        click.option("--on", type=click.Choice(["ssh", "slurm", "kubernetes"]), help="The way there; default: ssh."),
        click.option("--hostfile", metavar="FILE", help="The same, nodes from a file (Open MPI, MPICH, plain names)."),
        click.option(
            "--nodes", type=_NodesOrCount(), metavar="N|SET",
            help="Read PATH on these nodes: gpu[01-16]. A number: how many nodes the job has.",
        ),
    ):  # fmt: skip
        function = option(function)
    return function


def is_there(given: Mapping[str, Any]) -> bool:
    """Do the options say that PATH lies on other machines?"""
    return isinstance(given["nodes"], str) or any(given[name] for name in ("hostfile", "on", "pods"))


def read_there(
    given: Mapping[str, Any],
    paths: tuple[str, ...],
    hardware: Hardware | None,
    tolerances: Mapping[str, Any],
    policy: Policy | None = None,
) -> Heap:
    """Reads ``paths`` on the nodes that the options name. Raises SlowlinkError where none is named or no way leads
    there."""
    from slowlink.nodes import fold
    from slowlink.workflows.read_there.report import analyze_there

    question, reason = _question(given, paths)
    nodes = question.allocation.nodes
    note(
        f"# reading on {fold(node.name for node in nodes)} ({question.allocation.basis}); {question.way.name}: {reason}"
    )
    progress = NodesHeard(len(nodes))
    try:
        heap = analyze_there(
            question, hardware=hardware, tolerances=tolerances, policy=policy, on_answer=progress.heard
        )
    finally:
        progress.clear()
    for words in _readers(heap.nodes):
        note(f"# {words}")
    if all(node.lost for node in heap.nodes) and any(os.path.lexists(path) for path in paths):
        note("# PATH is here, too: to say how many nodes the job has, give a number: --nodes N")
    return heap


def _question(given: Mapping[str, Any], paths: tuple[str, ...]) -> tuple[Question, str]:
    from slowlink.launch.surroundings import find_programs
    from slowlink.workflows.nodes_given import allocation_of
    from slowlink.workflows.read_there.ask import Question
    from slowlink.workflows.snapshot_nodes import Given, destination

    named = [f"--{name}" for name in _SOURCES if given[name] and not isinstance(given[name], int)]
    if len(named) > 1:
        raise SlowlinkError("nodes come from one place", hint=f"one of {', '.join(named)}", slug="usage")
    if given["workers"] is not None:
        raise SlowlinkError("--workers reads here, and --nodes there", hint="leave one of them away", slug="usage")
    _require_names(paths)
    node_set = given["nodes"] if isinstance(given["nodes"], str) else None
    where = Given(
        given["on"], allocation_of(node_set, given["hostfile"]), given["pods"], given["context"], given["namespace"]
    )
    allocation, way, reason = destination(where, os.environ, find_programs())
    own = ((sys.executable, "-m", "slowlink"), ("slowlink",))
    programs = ((given["program"],),) if given["program"] else own
    question = Question(allocation, way, paths, programs, limit_s=given["timeout"], fanout=given["fanout"])
    return question, reason


def _require_names(paths: tuple[str, ...]) -> None:
    for path in paths:
        if path == "-":
            raise SlowlinkError("- is standard input here, not on nodes", hint="name files there", slug="usage")
        try:
            path.encode()
        except UnicodeEncodeError as error:
            raise SlowlinkError(
                f"{path!r} is no UTF-8", hint="name its folder, or use * for such letters", slug="usage"
            ) from error


def _readers(nodes: tuple[Node, ...]) -> list[str]:
    """Of nodes whose files were brought here, why."""
    from slowlink.nodes import fold

    why: dict[str, list[str]] = {}
    for node in nodes:
        if node.reader not in ("", "there"):
            why.setdefault(node.reader, []).append(node.name)
    return [f"{fold(names)}: {reader}; files were brought and read here" for reader, names in why.items()]
