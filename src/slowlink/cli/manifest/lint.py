"""``slowlink manifest --lint``: why pods of a manifest do not join, or are slow, before they are started."""

from __future__ import annotations

from pathlib import Path

import click

from slowlink import exits
from slowlink.cli.colours import is_coloured
from slowlink.cli.options import fail_on_option
from slowlink.cli.pipes import reader_may_leave
from slowlink.cli.verbosity import FORMATS
from slowlink.cli.written_files import require_places, write_report
from slowlink.errors import SlowlinkError


@click.command("manifest --lint")
@click.option("--lint", is_flag=True, required=True, help="Read manifests; nothing is started.")
@click.argument("paths", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--format", "format_", type=click.Choice(FORMATS), default="terminal", help="What goes to standard output."
)
@click.option(
    "--output", "-o", "outputs", multiple=True, metavar="FILE",
    help="Write a report too; its name tells the format (.html .json .md .xml .txt). Repeatable.",
)  # fmt: skip
@fail_on_option()
def command(lint: bool, paths: tuple[str, ...], format_: str, outputs: tuple[str, ...], fail_on: str) -> int:  # noqa: ARG001
    """Say what keeps the pods of a Kubernetes manifest from joining one job, or makes NCCL slow in them.

    FILE is YAML or JSON of a Job, Pod, Deployment, StatefulSet, MPIJob, PyTorchJob, JobSet or LeaderWorkerSet, with
    several documents or a List, or - for standard input.

    \b
      slowlink manifest --lint job.yaml
      kubectl get job train -o yaml | slowlink manifest --lint -
      helm template ./chart | slowlink manifest --lint -

    No finding is no proof of health: nothing was measured. Exit status: 0 nothing found, 1 findings at or above
    --fail-on, 2 usage, or no manifest.
    """
    from slowlink.cli.written_files import format_of
    from slowlink.report import render
    from slowlink.workflows.lint import lint as lint_all

    targets = [(Path(name), format_of(name, format_)) for name in outputs]
    require_places([path for path, _ in targets], paths)
    report = lint_all([(name, _text(name)) for name in dict.fromkeys(paths)])
    for path, target_format in targets:
        write_report(path, render(report, target_format, fail_on=fail_on))
    text = render(report, "full" if format_ == "terminal" else format_, color=is_coloured(), fail_on=fail_on)
    with reader_may_leave():
        click.echo(text, nl=not text.endswith("\n"), color=True)
    failed = any(exits.fails(each.severity, fail_on) for each in report.diagnoses)
    return exits.FINDINGS if failed else exits.HEALTHY


def _text(name: str) -> str:
    from slowlink.inputs.small_text import small_text
    from slowlink.inputs.standard_input import standard_input_text
    from slowlink.lint.tree import MOST_BYTES

    if name == "-":
        return standard_input_text(MOST_BYTES + 1)
    try:
        return small_text(Path(name), MOST_BYTES)
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "this is no UTF-8 text"
        raise SlowlinkError(
            f"cannot read {name}: {why}", hint="give a file of YAML or JSON, or -", slug="input-not-readable"
        ) from error
