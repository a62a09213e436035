"""``slowlink lab``: a small real cluster on this machine, for trying slowlink out and for its tests."""

from __future__ import annotations

import os

import click

from slowlink import exits
from slowlink.cli.shown.sections import WholeLines

_name = click.option("--name", default="lab", show_default=True, help="Labs of different names live side by side.")


@click.group("lab", cls=WholeLines)
def command() -> None:
    """Make a small cluster on this machine: hosts from Linux namespaces, with faults.

    Each host has its own network, host name, processes, /tmp and sshd. Needs Linux and root.

    \b
      slowlink lab up --nodes 4 --slow node3=200mbit
      slowlink lab exec node1 slowlink run all_reduce --on ssh --nodes 'node[1-4]'
      slowlink lab down
    """


@command.command("up")
@click.option("--nodes", type=click.IntRange(1, 250), default=4, show_default=True, help="Hosts: node1, node2 ...")
@click.option(
    "--slow",
    multiple=True,
    metavar="NODE=RATE",
    help="Limit a link (node3=200mbit), or a path (node2+node4=200mbit); repeatable.",
)
@click.option(
    "--share",
    multiple=True,
    type=click.Path(exists=True, file_okay=False),
    help="Directory below /tmp or /run that hosts see although theirs are their own; repeatable.",
)
@_name
def up_command(nodes: int, slow: tuple[str, ...], share: tuple[str, ...], name: str) -> int:
    """Make the hosts and wait until their sshd answers."""
    from slowlink.lab import faults, make

    limits = [_limit(word, nodes) for word in slow]
    make.up(name, nodes, share)
    try:
        for node, rate in limits:
            faults.slow(name, node, rate)
    except BaseException:
        make.down(name)
        raise
    click.echo(f"lab '{name}': {nodes} hosts, node1 to node{nodes}" if nodes > 1 else f"lab '{name}': 1 host, node1")
    click.echo(f"next: slowlink lab exec{_of(name)} node1 hostname; slowlink lab down{_of(name)}")
    return exits.HEALTHY


@command.command("down")
@_name
def down_command(name: str) -> int:
    """End everything that up made. Safe to call twice."""
    from slowlink.lab import make

    click.echo(f"lab '{name}' is down" if make.down(name) else f"there is no lab '{name}'")
    return exits.HEALTHY


@command.command("status")
@_name
def status_command(name: str) -> int:
    """Show the hosts, their faults, and how many processes run on each."""
    from slowlink.lab import inside, state

    found = state.load(name)
    if found is None or not found.hosts:
        others = [other for other in state.names() if other != name]
        click.echo(f"lab '{name}' is not up" + (f"; others: {', '.join(others)}" if others else ""))
        return exits.HEALTHY
    for host in found.hosts:
        faults = [f"slow {host.slow}"] if host.slow else []
        faults += [f"slow {rate} to {other}" for other, rate in sorted(host.paths.items())]
        faults += ["cut"] if host.cut else []
        faults += [f"load {len(host.load) // 2}"] if host.load else []
        condition = "up" if host.up else "dead"
        count = len(inside.running(name, host.name))
        click.echo(f"{host.name:8} {host.address:12} {condition:5} {count:4} processes  {', '.join(faults)}".rstrip())
    return exits.HEALTHY


@command.command("slow")
@click.argument("node")
@click.argument("rate", metavar="RATE|off")
@_name
def slow_command(node: str, rate: str, name: str) -> int:
    """Limit a host's link in both directions, for instance to 200mbit; with two hosts (node2+node6) the path between
    them alone."""
    from slowlink.lab import faults

    faults.slow(name, node, None if rate == "off" else rate)
    return exits.HEALTHY


@command.command("cut")
@click.argument("node")
@_name
def cut_command(node: str, name: str) -> int:
    """Take a host's cable out: it lives on, and nobody hears from it."""
    from slowlink.lab import faults

    faults.cut(name, node)
    return exits.HEALTHY


@command.command("join")
@click.argument("node")
@_name
def join_command(node: str, name: str) -> int:
    """Put a host's cable back, or start a killed host anew."""
    from slowlink.lab import faults

    faults.join(name, node)
    return exits.HEALTHY


@command.command("kill")
@click.argument("node")
@_name
def kill_command(node: str, name: str) -> int:
    """Kill a host at once, with everything that runs on it."""
    from slowlink.lab import faults

    faults.kill(name, node)
    return exits.HEALTHY


@command.command("load")
@click.argument("node")
@click.argument("off", required=False, type=click.Choice(["off"]))
@click.option("--cpus", type=click.IntRange(1, 1024), default=1, show_default=True, help="Cores to keep busy.")
@_name
def load_command(node: str, off: str | None, cpus: int, name: str) -> int:
    """Keep cores busy on a host, or end that with off."""
    from slowlink.lab import faults

    faults.set_load(name, node, 0 if off else cpus)
    return exits.HEALTHY


@command.command("exec", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@_name
@click.argument("node")
@click.argument("words", metavar="CMD...", nargs=-1, type=click.UNPROCESSED)
def exec_command(node: str, words: tuple[str, ...], name: str) -> int:
    """Run a command on a host; without one, a shell. The exit status is the command's."""
    from slowlink.cli.ending import end_ticking
    from slowlink.lab import inside

    argv, environment = inside.command_on(name, node, words or (os.environ.get("SHELL", "/bin/sh"),))
    end_ticking()
    os.execve(argv[0], argv, environment)  # noqa: S606


def _limit(word: str, nodes: int) -> tuple[str, str]:
    """``node3=200mbit``, checked before anything is made."""
    from slowlink.errors import SlowlinkError
    from slowlink.lab.network import parse_rate

    node, equals, rate = word.partition("=")
    known = {f"node{number}" for number in range(1, nodes + 1)}
    if not equals or not known.issuperset(node.split("+")) or node.count("+") > 1:
        raise SlowlinkError(
            f"--slow {word}: not NODE=RATE with a host of the lab", hint="--slow node3=200mbit", slug="lab-bad-slow"
        )
    return node, parse_rate(rate)


def _of(name: str) -> str:
    return "" if name == "lab" else f" --name {name}"
