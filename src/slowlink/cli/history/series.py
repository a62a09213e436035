"""``slowlink history series``."""

from __future__ import annotations

import shutil
import sys
from typing import Any

import click

from slowlink import exits
from slowlink.cli.history.options import Moment, opened, place_options
from slowlink.cli.pipes import reader_may_leave
from slowlink.cli.quantities import Size

_WIDEST = 100


@click.command("series")
@click.option("--collective", metavar="NAME", help="all_reduce ...")
@click.option("--nodes", "node_set", metavar="SET", help="This very set of nodes: gpu[01-04].")
@click.option("--system", metavar="ID", help="System of the catalogue: hgx_h100.")
@click.option("--ranks", "nranks", type=click.IntRange(1), metavar="N", help="Ranks in all.")
@click.option("--size", "size_bytes", type=Size(), help="One size; default: the plateau, the largest sizes together.")
@click.option("--latency", is_flag=True, help="Times of small messages, not bandwidth.")
@click.option("--across-nodes", is_flag=True, help="Sets of the same number of nodes are one series.")
@click.option("--since", type=Moment(), metavar="WHEN", help="Not earlier: 30d, 12h, 2026-01-31 (UTC).")
@click.option("--until", type=Moment(), metavar="WHEN", help="Not later.")
@click.option("--most", type=click.IntRange(1, 1000), default=6, show_default=True, help="Series to show.")
@click.option("--format", "format_", type=click.Choice(["terminal", "json", "csv"]), default="terminal")
@place_options
def series_command(**given: Any) -> int:
    """Plot what the same question was answered with time after time, say where its level changed, and what else
    changed there: driver, firmware, kernel, settings, reboots, nodes, causes.

    Exit status: 0 no change, or the newest one of each series is for the better; 1 for the worse; 3 too few runs to
    tell.
    """
    from slowlink.nodes import expand, fold
    from slowlink.report.history.series import series_csv, series_json, series_text
    from slowlink.workflows.history.series import shown_series

    nodes = fold(expand(given["node_set"])) if given["node_set"] else None
    asked = {"collective": given["collective"], "nodes": nodes, "system": given["system"], "nranks": given["nranks"]}
    with opened(given) as store:
        shown, total = shown_series(
            store,
            {name: value for name, value in asked.items() if value is not None},
            **{name: given[name] for name in ("size_bytes", "latency", "across_nodes", "since", "until", "most")},
        )
    with reader_may_leave():
        if given["format_"] == "terminal":
            width = min(_WIDEST, shutil.get_terminal_size((_WIDEST, 24)).columns)
            plain = "utf" not in (sys.stdout.encoding or "").lower()
            click.echo(series_text(shown, total, width=width, plain=plain), nl=False)
        else:
            click.echo(series_json(shown, total) if given["format_"] == "json" else series_csv(shown), nl=False)
    if any(each.changes and each.changes[-1].outcome == "worse" for each in shown):
        return exits.FINDINGS
    return exits.HEALTHY if any(each.enough for each in shown) else exits.INCONCLUSIVE
