"""``slowlink nodes``: which nodes are meant, where that is known from, and whether ranks can start there."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from slowlink import exits
from slowlink.errors import SlowlinkError

if TYPE_CHECKING:
    from slowlink.launch.node_check import Verdict
    from slowlink.model.plan import Allocation

_MAX_BYTES = 64 << 20


@click.command("nodes")
@click.argument("source", required=False)
@click.option("--nodes", "node_set", metavar="SET", help="A node set: node[01-16].")
@click.option("--hostfile", metavar="FILE", help="Of Open MPI (slots=4), MPICH (node:4), or plain names.")
@click.option("--kubernetes", "selector", metavar="LABELS", help="Nodes of the cluster with these labels (kubectl).")
@click.option("--output", "output_name", metavar="NAME", help="Which output of Terraform names the nodes.")
@click.option("--check", "checked", is_flag=True, help="Log in to each and compare paths and versions.")
@click.option("--program", "programs", multiple=True, metavar="PATH", help="Also expected there (a benchmark).")
@click.option("--env", multiple=True, metavar="NAME=VALUE", help="Of the ranks: is NCCL_IB_HCA=mlx5_0 there?")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(
    source: str | None,
    node_set: str | None,
    hostfile: str | None,
    selector: str | None,
    output_name: str | None,
    checked: bool,
    programs: tuple[str, ...],
    env: tuple[str, ...],
    format_: str,
) -> int:
    """Show the nodes that a run would use; SOURCE is JSON of Terraform or a cloud ("-": standard input).

    \b
      slowlink nodes --nodes gpu[01-16] --check
      slowlink nodes --hostfile hosts.txt
      terraform output -json | slowlink nodes -
      aws ec2 describe-instances --output json | slowlink nodes - --check

    Without any of these: the Slurm allocation around us. With --check the HCAs and interfaces that NCCL_IB_HCA,
    NCCL_SOCKET_IFNAME and the like name (here, or by --env) must be there, and nodes must reach one another by TCP.
    Keys are never copied; a new host key is learned, a changed one refused. Exit status: 0 all good, 1 some are not,
    2 usage, 3 none can be reached.
    """
    allocation, stopped = _allocation(source, node_set, hostfile, selector, output_name)
    verdicts = _check(allocation, programs, env) if checked else None
    _show(allocation, stopped, verdicts, format_)
    return _status(verdicts)


def _allocation(
    source: str | None, node_set: str | None, hostfile: str | None, selector: str | None, output_name: str | None
) -> tuple[Allocation, tuple[str, ...]]:
    given = [each for each in (source, node_set, hostfile, selector) if each is not None]
    if len(given) > 1:
        raise SlowlinkError(
            "nodes come from one place", hint=f"leave all but one away: {', '.join(given)}", slug="usage"
        )
    from slowlink.launch import node_lists

    if source is not None:
        from slowlink.launch.node_sources import parse_document

        name = "standard input" if source == "-" else source
        return parse_document(_read(source), name, output_name)
    if node_set is not None:
        return node_lists.from_node_set(node_set), ()
    if hostfile is not None:
        from slowlink.launch.hostfiles import parse_hostfile

        return parse_hostfile(_read(hostfile), hostfile), ()
    if selector is not None:
        return node_lists.from_kubernetes(selector)
    return node_lists.from_surroundings(), ()


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
    from slowlink.nodes import fold

    if format_ == "json":
        import json

        from msgspec import to_builtins

        document = {
            "basis": allocation.basis,
            "nodes": [to_builtins(node) for node in allocation.nodes],
            "not_running": list(stopped),
            "checks": None if verdicts is None else [to_builtins(verdict) for verdict in verdicts],
        }
        click.echo(json.dumps(document, indent=2, ensure_ascii=False))
        return
    nodes = allocation.nodes
    count = "1 node" if len(nodes) == 1 else f"{len(nodes)} nodes"
    click.echo(f"{count}: {fold(node.name for node in nodes)}")
    click.echo(f"  from {allocation.basis}")
    for slots in dict.fromkeys(node.slots for node in nodes if node.slots is not None):
        click.echo(f"  {slots} slots: {fold(node.name for node in nodes if node.slots == slots)}")
    addresses = [node for node in nodes if node.address is not None and node.address != node.name]
    for node in addresses[:16]:
        click.echo(f"  {node.name} at {node.address}")
    if len(addresses) > 16:
        click.echo(f"  and {len(addresses) - 16} more (--format json shows all)")
    if stopped:
        click.echo(f"  not running, left out: {', '.join(stopped)}")
    for verdict in verdicts or ():
        _show_verdict(verdict, fold(verdict.nodes))


def _show_verdict(verdict: Verdict, nodes: str) -> None:
    mark = "ok " if verdict.good else "BAD"
    expected = f" (expected {verdict.expected})" if not verdict.good and verdict.expected else ""
    click.echo(f"{mark} {verdict.subject}: {verdict.value}{expected}: {nodes}")
