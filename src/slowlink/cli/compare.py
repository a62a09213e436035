"""``slowlink compare``: what changed since, and what it costs."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from slowlink import exits
from slowlink.cli.colours import colour_options, is_coloured
from slowlink.cli.options import config_option, hardware_options
from slowlink.cli.pipes import reader_may_leave
from slowlink.cli.quantities import FiniteRange
from slowlink.cli.shown.sections import ReportCommand

if TYPE_CHECKING:
    from slowlink.model.comparison import Comparison

_SUFFIXES = {".json": "json", ".md": "markdown", ".txt": "terminal"}


def _print_schema(context: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked:
        from slowlink.model.comparison import SCHEMA, Comparison
        from slowlink.report.schema import schema_of

        click.echo(json.dumps(schema_of(Comparison, SCHEMA), indent=2))
        context.exit()


@click.command(cls=ReportCommand)
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@hardware_options
@click.option("--format", "format_", type=click.Choice(["terminal", "json", "markdown"]), default="terminal")
@click.option(
    "--output", "-o", "outputs", multiple=True, metavar="FILE",
    help="Write the comparison too; its name tells the format (.json .md .txt). Repeatable.",
)  # fmt: skip
@click.option(
    "--schema", is_flag=True, is_eager=True, expose_value=False, callback=_print_schema,
    help="Print the JSON schema of a comparison, and stop.",
)  # fmt: skip
@click.option(
    "--tolerance", type=FiniteRange(0, 100, min_open=True), default=5.0, show_default=True, metavar="PERCENT",
    help="Change of bandwidth that is ordinary between launches at large sizes (twice as much below 256 MiB).",
)  # fmt: skip
@config_option
@colour_options
def command(
    old: str,
    new: str,
    system: str | None,
    gpu: str | None,
    gpus_per_node: int | None,
    nics: str | None,
    format_: str,
    outputs: tuple[str, ...],
    tolerance: float,
    config_path: str | None,
) -> int:
    """Compare two snapshots, bundles, logs or saved reports: what became slower, what changed on which nodes, and which
    change may explain it.

    \b
      slowlink compare last-month.tar.zst today.tar.zst
      slowlink compare before.log after.log --format json

    Exit status: 0 nothing became worse, 1 slower or a new error, 3 nothing that both hold can be compared, not
    everything of them was read, or the new one did not measure the largest sizes again.
    """
    from slowlink.catalog.infer import given_hardware
    from slowlink.cli.site_settings import site_settings
    from slowlink.cli.written_files import require_places, write_report
    from slowlink.comparison.measured import Tolerances
    from slowlink.workflows.compare import compare_paths

    if old == new == "-":
        raise click.UsageError("standard input can be one of the two, not both")
    targets = [Path(name) for name in outputs]
    if unknown := [path for path in targets if path.suffix.lower() not in _SUFFIXES]:
        raise click.BadParameter(f"'{unknown[0]}': the suffix must be one of {', '.join(_SUFFIXES)}", param_hint="-o")
    require_places(targets, [old, new])
    config = site_settings(config_path)
    hardware = given_hardware(
        system=system or config.system,
        gpu=gpu or config.gpu,
        gpus_per_node=gpus_per_node or config.gpus_per_node,
        nics=nics or config.nics,
    )
    found = compare_paths(old, new, hardware=hardware, rules=config.rules, tolerances=Tolerances(busbw=tolerance / 100))
    for path in targets:
        write_report(path, _rendered(found, _SUFFIXES[path.suffix.lower()], color=False))
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    text = _rendered(found, format_, color=is_coloured(), width=width)
    with reader_may_leave():
        click.echo(text, nl=False, color=True)
    known = "healthy" if found.comparable and not (found.unread or found.unmeasured) else "inconclusive"
    return exits.decide(known, gates=(exits.FINDINGS,) if found.worse else ())


def _rendered(found: Comparison, format_: str, *, color: bool, width: int | None = None) -> str:
    if format_ == "json":
        from slowlink.report.json import plain_json

        return plain_json(found)
    from slowlink.report.comparison_text import comparison_markdown, render_comparison

    if format_ == "markdown":
        return comparison_markdown(found)
    return render_comparison(found, color=color, width=width)
