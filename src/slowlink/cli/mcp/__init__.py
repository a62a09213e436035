"""``slowlink mcp``: tools for assistants, over the Model Context Protocol."""

from __future__ import annotations

import click

from slowlink import exits
from slowlink.cli.pipes import note
from slowlink.cli.quantities import FiniteRange


@click.command("mcp")
@click.option("--root", "roots", multiple=True, metavar="DIR", default=(".",),
              help="Read below this directory and nowhere else. Repeatable. Default: here.")  # fmt: skip
@click.option("--config", "config_path", metavar="FILE",
              help="Site settings: tolerances of rules. No slowlink.toml is looked for.")  # fmt: skip
@click.option("--timeout", "seconds", type=FiniteRange(min=0, max=86_400, min_open=True), default=300,
              show_default=True, metavar="SECONDS", help="For each question.")  # fmt: skip
def command(roots: tuple[str, ...], config_path: str | None, seconds: float) -> int:
    """Give an assistant tools over standard input and output: analyze, expect, explain, compare, node_state.

    They read, and change and start nothing. What they quote from files is redacted, bounded, and marked as data: an
    assistant can be led by hostile text in logs. An assistant's settings start this command; docs/agents.md tells how.

    Exit status: 0 when standard input ends, 2 where a directory cannot be read.
    """
    from slowlink.config import Config, load_config
    from slowlink.workflows.agents.beneath import Beneath
    from slowlink.workflows.agents.protocol import require_library, serve
    from slowlink.workflows.agents.reports import Readable

    require_library()
    config = Config() if config_path is None else load_config(config_path)
    readable = Readable(Beneath(roots), config.rules)
    note(f"slowlink: reads below {', '.join(readable.beneath.directories)}")
    serve(readable, seconds)
    return exits.HEALTHY
