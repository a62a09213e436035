"""``slowlink policy``: what the site's nodes must be, as a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from slowlink import exits
from slowlink.cli.pipes import note, reader_may_leave
from slowlink.cli.shown.sections import WholeLines
from slowlink.errors import SlowlinkError

if TYPE_CHECKING:
    from slowlink.model.facts import State

_LIMIT_S = 60.0


@click.group("policy", cls=WholeLines)
def command() -> None:
    """Write down what the site's nodes must be, from a node that is right: a fleet that is wrong alike is found by it.

    \b
      slowlink policy from gpu01 -o policy.toml     then read it, and take out what may differ
      slowlink snapshot --nodes gpu[01-64] --policy policy.toml
      slowlink node-check --policy policy.toml      before each job
    """


@command.command("from")
@click.argument("source", metavar="[NODE|PATH]", required=False)
@click.option("--node", metavar="NAME", help="Which node of PATH; needed where it holds several.")
@click.option("--on", type=click.Choice(["local", "ssh", "slurm"]), help="The way to NODE; default: ssh.")
@click.option("--root", metavar="DIR", default="", help="Where the host's file system lies there: /host in a pod.")
@click.option("--output", "-o", metavar="FILE", help="Default: standard output.")
def from_command(source: str | None, node: str | None, on: str | None, root: str, output: str | None) -> int:
    """Write the policy that a good node meets: this machine, NODE, or one in PATH (a bundle of slowlink snapshot).

    What only root sees is in it only when root asks, and what is in it is asked of every node: write it as the user
    who will check it. Secrets are taken out. Exit status: 0, 2 usage, 3 where nothing is known of the node.
    """
    from slowlink.cli.written_files import require_places, write_report
    from slowlink.facts.assemble import assemble
    from slowlink.inputs import open_given
    from slowlink.parsers.reading.read import read
    from slowlink.redact import Redaction
    from slowlink.workflows.policy.write import policy_text

    place = Path(output) if output is not None else None
    require_places([place] if place else [], [source] if source else [])
    given: Any = source if _is_path(source) else _asked(source, on, root)
    state = assemble(read(open_given(given), None, None, guarded=True)).state
    name = _chosen(state, node)
    if state is None or name is None:
        note("slowlink: nothing is known of a node's state there")
        return exits.INCONCLUSIVE
    text = policy_text(state, name, _taken_at(state, name), Redaction().text)
    if place is not None:
        write_report(place, text)
        note(f"{place}: the policy of {name}")
        return exits.HEALTHY
    with reader_may_leave():
        click.echo(text, nl=False)
    return exits.HEALTHY


def _is_path(source: str | None) -> bool:
    return source is not None and ("/" in source or Path(source).exists())


def _asked(source: str | None, on: str | None, root: str) -> list[bytes]:
    """The transcript of a node."""
    from slowlink.cli.measuring.one_node import question_to
    from slowlink.collectors.catalogue import chosen
    from slowlink.workflows.one_node.answers import asked

    texts, trouble = asked(question_to(source, on, chosen(), limit_s=_LIMIT_S, root=root))
    if trouble:
        name, why = next(iter(trouble.items()))
        raise SlowlinkError(
            f"{name} did not answer in full: {why}", hint="a policy is written from a whole answer", slug="no-answer"
        )
    return texts


def _chosen(state: State | None, node: str | None) -> str | None:
    """The node that is meant; None where there is none. Raises SlowlinkError."""
    from slowlink.nodes import fold

    names = state.nodes if state is not None else ()
    if node is not None:
        if node not in names:
            raise SlowlinkError(
                f"nothing is known of {node} there", hint=f"--node takes one of {fold(names)}", slug="usage"
            )
        return node
    if len(names) > 1:
        raise SlowlinkError(
            f"{len(names)} nodes are there, and a policy is written from one",
            hint=f"--node NAME takes one of {fold(names)}",
            slug="usage",
        )
    return names[0] if names else None


def _taken_at(state: State, node: str) -> str:
    """When the node answered, in UTC; today where nothing tells."""
    from datetime import datetime, timezone

    times = [each.at for each in state.collected if each.host == node and each.at is not None]
    at = datetime.fromtimestamp(times[0], timezone.utc) if times else datetime.now(timezone.utc)
    return at.strftime("%Y-%m-%d %H:%M UTC")
