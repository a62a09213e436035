"""``slowlink exporter``: what the history knows, for Prometheus."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from slowlink import exits
from slowlink.cli.history.options import place_of, place_options
from slowlink.cli.pipes import note, reader_may_leave
from slowlink.cli.quantities import LOOPBACK, Address

if TYPE_CHECKING:
    from slowlink.workflows.metrics.current import CurrentMetrics

_PORT = 10711


@click.command("exporter")
@click.option("--listen", type=Address(), default=f"{LOOPBACK}:{_PORT}", show_default=True, metavar="HOST:PORT",
              help="Where to serve /metrics; other machines reach only what you name here.")  # fmt: skip
@click.option("--once", is_flag=True, help="Print the metrics instead, and end.")
@click.option("--textfile", metavar="FILE", type=click.Path(path_type=Path),
              help="Write them into FILE instead, for node_exporter's textfile collector, and end.")  # fmt: skip
@click.option("--most", type=click.IntRange(1, 100_000), default=500, show_default=True,
              help="At most so many newest runs, series and comparisons with baselines.")  # fmt: skip
@place_options
def command(**given: Any) -> int:
    """Tell Prometheus what the history knows: of each command and set of nodes the newest verdict and its causes, of
    each series the newest bandwidth beside what is expected and beside the baselines.

    docs/prometheus.md lists the metrics; a dashboard and alerts lie beside it. What one node's check says comes from
    slowlink node-check --textfile. Nothing is changed.

    Exit status of --once and --textfile: 0, or 3 where the history could not be read. Else it serves until it is ended.
    """
    from slowlink.workflows.metrics.current import CurrentMetrics
    from slowlink.workflows.metrics.server import require_library
    from slowlink.workflows.metrics.textfile import require_textfile

    if given["once"] and given["textfile"] is not None:
        raise click.UsageError("one of --once and --textfile")
    if given["textfile"] is not None:
        require_textfile(given["textfile"])
    elif not given["once"]:
        require_library()
    metrics = CurrentMetrics(place_of(given), given["most"], note)
    if given["once"] or given["textfile"] is not None:
        return _told_once(metrics, given["textfile"])
    return _serve(metrics, *given["listen"])


def _told_once(metrics: CurrentMetrics, place: Path | None) -> int:
    from slowlink.report.metrics.text import metrics_text
    from slowlink.workflows.metrics.textfile import write_textfile

    families, readable = metrics.families()
    if place is not None:
        write_textfile(place, families)
    else:
        with reader_may_leave():
            click.echo(metrics_text(families), nl=False)
    return exits.HEALTHY if readable else exits.INCONCLUSIVE


def _serve(metrics: CurrentMetrics, host: str, port: int) -> int:
    from slowlink.workflows.metrics.server import MetricsServer

    with MetricsServer(host, port, lambda: metrics.families()[0]) as server:
        shown = f"[{host}]" if ":" in host else host
        note(f"slowlink: http://{shown}:{server.server_port}/metrics")
        server.serve_forever()
    return exits.HEALTHY
