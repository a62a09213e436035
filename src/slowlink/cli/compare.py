"""``slowlink compare``: what changed since, and what it costs."""

from __future__ import annotations

import sys

import click

from slowlink import exits
from slowlink.cli.options import hardware_options
from slowlink.cli.pipes import reader_may_leave


@click.command()
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@hardware_options
@click.option("--format", "format_", type=click.Choice(["terminal", "json", "markdown"]), default="terminal")
@click.option(
    "--tolerance", type=click.FloatRange(0, 100, min_open=True), default=5.0, show_default=True, metavar="PERCENT",
    help="Change of bandwidth that is ordinary between single runs of large sizes (twice as much below 256 MiB).",
)  # fmt: skip
@click.option("--config", "config_path", metavar="FILE", help="Site settings; default: slowlink.toml here.")
@click.option("--color/--no-color", default=None, help="Colours; default: where the output is a terminal.")
def command(
    old: str,
    new: str,
    system: str | None,
    gpu: str | None,
    gpus_per_node: int | None,
    nics: str | None,
    format_: str,
    tolerance: float,
    config_path: str | None,
    color: bool | None,
) -> int:
    """Compare two snapshots, bundles, logs or saved reports: what became slower, what changed on which nodes, and which
    change may explain it.

    \b
      slowlink compare last-month.tar.zst today.tar.zst
      slowlink compare before.log after.log --format json

    Exit status: 0 nothing became worse, 1 slower or a new error, 3 nothing that both hold can be compared.
    """
    from slowlink.catalog.infer import given_hardware
    from slowlink.comparison.measured import Tolerances
    from slowlink.config import load_config
    from slowlink.workflows.compare import compare_paths

    config = load_config(config_path)
    hardware = given_hardware(
        system=system or config.system,
        gpu=gpu or config.gpu,
        gpus_per_node=gpus_per_node or config.gpus_per_node,
        nics=nics or config.nics,
    )
    found = compare_paths(old, new, hardware=hardware, rules=config.rules, tolerances=Tolerances(busbw=tolerance / 100))
    if format_ == "json":
        from slowlink.report.json import plain_json

        text = plain_json(found)
    elif format_ == "markdown":
        from slowlink.report.comparison_text import comparison_markdown

        text = comparison_markdown(found)
    else:
        from slowlink.report.comparison_text import render_comparison

        text = render_comparison(found, color=sys.stdout.isatty() if color is None else color)
    with reader_may_leave():
        click.echo(text, nl=False, color=True)
    if found.outcome == "slower" or any(d.severity in ("error", "critical") for d in found.appeared):
        return exits.FINDINGS
    comparable = found.outcome != "incomparable" or (found.old.nodes and found.new.nodes)
    return exits.HEALTHY if comparable else exits.INCONCLUSIVE
