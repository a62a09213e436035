"""``slowlink nodes``: which nodes are meant, where that is known from, and whether ranks can start there."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from slowlink import exits
from slowlink.cli.options import node_choice, node_options
from slowlink.errors import SlowlinkError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from slowlink.launch.node_check import Verdict
    from slowlink.model.plan import Allocation

_MAX_BYTES = 64 << 20


@click.command("nodes")
@click.argument("source", required=False)
@node_options
@click.option("--kubernetes", "selector", metavar="LABELS", help="Nodes of the cluster with these labels (kubectl).")
@click.option("--output", "output_name", metavar="NAME", help="Which output of Terraform names the nodes.")
@click.option(
    "--type",
    "kinds",
    multiple=True,
    metavar="WORD",
    help="Of a cloud's machines those whose type holds this word: h100, p5.48xlarge. Repeatable.",
)
@click.option("--check", "checked", is_flag=True, help="Log in to each and compare paths and versions.")
@click.option("--program", "programs", multiple=True, metavar="PATH", help="Also expected there (a benchmark).")
@click.option("--env", multiple=True, metavar="NAME=VALUE", help="Of the ranks: is NCCL_IB_HCA=mlx5_0 there?")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(**given: Any) -> int:
    """Show the nodes that a run would use; SOURCE is JSON of Terraform or a cloud ("-": standard input).

    \b
      slowlink nodes --nodes gpu[01-16] --check
      slowlink nodes --hostfile hosts.txt
      terraform output -json | slowlink nodes -
      aws ec2 describe-instances --output json | slowlink nodes - --type p5 --check

    Without any of these: the Slurm allocation around us. With --check the HCAs and interfaces that NCCL_IB_HCA,
    NCCL_SOCKET_IFNAME and the like name (here, or by --env) must be there, and nodes must reach one another by TCP.
    Keys are never copied; a new host key is learned, a changed one refused. Exit status: 0 all good, 1 some are not,
    2 usage, 3 none can be reached.
    """
    allocation, stopped = _allocation(given)
    verdicts = _check(allocation, given["programs"], given["env"]) if given["checked"] else None
    _show(allocation, stopped, verdicts, given["format_"])
    return _status(verdicts)


def _allocation(given: dict[str, Any]) -> tuple[Allocation, tuple[str, ...]]:
    """The nodes, and machines of the same source that do not run."""
    named = [given[name] for name in ("source", "node_set", "hostfile", "retry", "selector") if given[name] is not None]
    if len(named) > 1:
        raise SlowlinkError(
            "nodes come from one place", hint=f"leave all but one away: {', '.join(named)}", slug="usage"
        )
    from slowlink.launch import node_lists
    from slowlink.workflows.nodes_given import chosen_nodes, without

    found: tuple[Allocation, tuple[str, ...]]
    if given["source"] is not None:
        from slowlink.launch.node_sources import parse_document

        name = "standard input" if given["source"] == "-" else given["source"]
        found = parse_document(_read(given["source"]), name, given["output_name"], given["kinds"])
    elif given["selector"] is not None:
        found = node_lists.from_kubernetes(given["selector"])
    elif named:
        return chosen_nodes(node_choice(given)) or node_lists.from_surroundings(), ()
    else:
        found = node_lists.from_surroundings(), ()
    return without(found[0], given["exclude"]), found[1]


def _read(path: str) -> str:
    if path == "-":
        from slowlink.inputs.standard_input import standard_input_text

        return standard_input_text(_MAX_BYTES)
    try:
        with Path(path).open(encoding="utf-8", errors="replace") as file:
            return file.read(_MAX_BYTES)
    except OSError as error:
        raise SlowlinkError(
            f"cannot read {path}: {error.strerror}", hint="check the path", slug="input-not-found"
        ) from error


def _check(allocation: Allocation, programs: tuple[str, ...], env: tuple[str, ...]) -> list[Verdict]:
    from slowlink.launch.node_check import Questions, verdicts
    from slowlink.launch.surroundings import find_programs
    from slowlink.workflows.job_environment import of_this_shell, parse_assignments

    found = find_programs()
    if "ssh" not in found:
        raise SlowlinkError("there is no ssh on PATH", hint="install the OpenSSH client", slug="no-ssh")
    for program in programs:
        if not program.startswith("/"):
            raise SlowlinkError(
                f"--program {program}: not an absolute path", hint="the same on every node", slug="usage"
            )
    mpirun = found.get("mpirun") or found.get("mpiexec.hydra")
    # Not resolved: a virtual environment is known by its own path, not by the interpreter it links to.
    paths = (*((mpirun,) if mpirun else ()), sys.executable, *programs)
    settings = {**of_this_shell(), **parse_assignments(env)}
    return verdicts(allocation.nodes, found["ssh"], Questions(paths, sys.executable, settings))


def _status(verdicts: list[Verdict] | None) -> int:
    if verdicts is None or all(verdict.good for verdict in verdicts):
        return exits.HEALTHY
    reached = any(verdict.subject == "login" and verdict.good for verdict in verdicts)
    return exits.FINDINGS if reached else exits.INCONCLUSIVE


def _show(allocation: Allocation, stopped: tuple[str, ...], verdicts: list[Verdict] | None, format_: str) -> None:
    if format_ == "json":
        from msgspec import to_builtins

        from slowlink.report.json import plain_json

        document = {
            "basis": allocation.basis,
            "nodes": [to_builtins(node) for node in allocation.nodes],
            "not_running": list(stopped),
            "checks": None if verdicts is None else [to_builtins(verdict) for verdict in verdicts],
        }
        click.echo(plain_json(document), nl=False)
        return
    from slowlink.report.escape import terminal_safe

    for line in _lines(allocation, stopped, verdicts or ()):
        click.echo(terminal_safe(line))  # names of documents, and words of nodes


def _lines(allocation: Allocation, stopped: tuple[str, ...], verdicts: Sequence[Verdict]) -> Iterator[str]:
    from slowlink.launch.node_check import NOT_TRIED
    from slowlink.nodes import fold

    nodes = allocation.nodes
    count = "1 node" if len(nodes) == 1 else f"{len(nodes)} nodes"
    yield f"{count}: {fold(node.name for node in nodes)}"
    yield f"  from {allocation.basis}"
    for slots in dict.fromkeys(node.slots for node in nodes if node.slots is not None):
        yield f"  {slots} slots: {fold(node.name for node in nodes if node.slots == slots)}"
    addresses = [node for node in nodes if node.address is not None and node.address != node.name]
    for node in addresses[:16]:
        yield f"  {node.name} at {node.address}"
    if len(addresses) > 16:
        yield f"  and {len(addresses) - 16} more (--format json shows all)"
    if stopped:
        yield f"  not running, left out: {', '.join(stopped)}"
    for verdict in verdicts:
        mark = "BAD" if not verdict.good else " ? " if verdict.value == NOT_TRIED else "ok "
        expected = f" (expected {verdict.expected})" if not verdict.good and verdict.expected else ""
        yield f"{mark} {verdict.subject}: {verdict.value}{expected}: {fold(verdict.nodes)}"
