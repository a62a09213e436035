"""``slowlink accept``: what a provider hands over, held against what was to be delivered."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from slowlink import exits
from slowlink.cli.measuring.policies import policy_option, site_policy
from slowlink.cli.options import hardware_options
from slowlink.cli.pipes import note, reader_may_leave
from slowlink.cli.progress import shown_progress
from slowlink.cli.reading.workers import engine_of, workers_option
from slowlink.cli.shown.sections import ReportCommand
from slowlink.cli.written_files import require_places, write_report
from slowlink.errors import SlowlinkError

if TYPE_CHECKING:
    from slowlink.model.acceptance import Acceptance

_SUFFIXES = {".json": "json", ".csv": "csv", ".html": "html", ".htm": "html"}
_STATUS = {"accepted": exits.HEALTHY, "refused": exits.FINDINGS, "incomplete": exits.INCONCLUSIVE}


@click.command("accept", cls=ReportCommand)
@click.argument("paths", nargs=-1, metavar="EVIDENCE...")
@click.option("--nodes", metavar="SET", help="The nodes of the contract, each of them: gpu[001-128].")
@hardware_options
@click.option("--hcas", metavar="SET", help="Names of a node's HCAs: mlx5_[0-7]; default: as the evidence names them.")
@policy_option
@click.option("--require", multiple=True, metavar="CHECK", help="Must have passed, too (docs/accept.md). Repeatable.")
@click.option("--skip", multiple=True, metavar="CHECK", help="Need not be measured. Repeatable; the record says so.")
@click.option("--output", "-o", "outputs", multiple=True, metavar="FILE",
              help="Write it down: .json is the record, .html and .csv show it. Repeatable.")  # fmt: skip
@click.option("--fail-on", type=click.Choice(["error", "warning"]), default="error", show_default=True,
              help="Least severity of a finding that refuses.")  # fmt: skip
@click.option("--config", "config_path", metavar="FILE", help="Site settings; default: slowlink.toml here.")
@workers_option
@click.option(
    "--verify", metavar="RECORD", help="Is this record, and what stands in EVIDENCE of it, as it was written?"
)
@click.option("--schema", "show_schema", is_flag=True, help="Print the JSON schema of a record, and stop.")
def command(paths: tuple[str, ...], verify: str | None, show_schema: bool, **given: Any) -> int:
    """Say for each node and each HCA of a contract whether it passed, by evidence that was measured, and seal it.

    \b
      slowlink check --nodes gpu[001-128] -o handover            measure, into a bundle
      slowlink accept handover --nodes gpu[001-128] --system hgx_h100 \\
          -o acceptance.html -o acceptance.csv -o acceptance.json
      slowlink accept --verify acceptance.json handover acceptance.html

    EVIDENCE is what slowlink check, run, snapshot and isolate leave, or a directory or archive of what others measured:
    perftest of each HCA, nccl-tests, nvbandwidth, outputs of tools. Nothing is run here, and nobody is asked.

    Accepted is only where every node and every HCA was measured and passed. A node that no evidence names is not
    measured. The seal is a content hash: it shows that a record is unchanged, not who made it.

    Exit status: 0 accepted, 1 refused, 2 usage, 3 incomplete. With --verify: 0 unchanged, 1 changed, 3 unchanged as far
    as it was looked at.
    """
    if show_schema:
        from slowlink.report.acceptance.schema import schema_text

        with reader_may_leave():
            click.echo(schema_text(), nl=False)
        return exits.HEALTHY
    if verify is not None:
        return _verify(verify, paths, given)
    if not paths:
        raise SlowlinkError("which evidence? None was named", hint="slowlink accept handover --nodes ...", slug="usage")
    return _accept(paths, **given)


def _accept(
    paths: tuple[str, ...],
    *,
    nodes: str | None,
    system: str | None,
    gpu: str | None,
    gpus_per_node: int | None,
    nics: str | None,
    hcas: str | None,
    policy_path: str | None,
    require: tuple[str, ...],
    skip: tuple[str, ...],
    outputs: tuple[str, ...],
    fail_on: str,
    config_path: str | None,
    workers: str | None,
) -> int:
    from slowlink.catalog.given import given_hardware
    from slowlink.cli.site_settings import site_settings
    from slowlink.inputs import open_given
    from slowlink.parsers.reading.read import read
    from slowlink.workflows.accepting.accept import accepted
    from slowlink.workflows.accepting.evidence_files import evidence_files
    from slowlink.workflows.accepting.names import FileNames
    from slowlink.workflows.accepting.terms import terms_of

    if nodes is None:
        raise SlowlinkError("which nodes were to be delivered?", hint="--nodes gpu[001-128]", slug="usage")
    targets = [(Path(name), _format_of(name)) for name in outputs]
    require_places([path for path, _ in targets], paths)
    _require_outside([path for path, _ in targets], paths)
    config = site_settings(config_path)
    terms = terms_of(
        nodes=nodes,
        hardware=given_hardware(
            system=system or config.system,
            gpu=gpu or config.gpu,
            gpus_per_node=gpus_per_node or config.gpus_per_node,
            nics=nics or config.nics,
        ),
        hcas=hcas,
        policy=site_policy(policy_path, config),
        tolerances=config.rules,
        fail_on=fail_on,
        require=require,
        skip=skip,
    )
    files = FileNames(paths)
    evidence = evidence_files(paths, files)
    files.know(each.path for each in evidence)
    with engine_of(workers) as engine, shown_progress(paths) as progress:
        records = read(open_given(paths, progress), engine, progress, guarded=True)
    if progress.broken_off:
        note("interrupted: not all evidence was read, and nothing is said of it")
        return exits.INTERRUPTED
    record = accepted(records, evidence, terms, files)
    if evidence_files(paths, files) != evidence:
        raise SlowlinkError(
            "the evidence changed while it was read", hint="wait until it is whole", slug="evidence-changed"
        )
    _write(record, targets)
    return _STATUS[record.result]


def _require_outside(targets: list[Path], given: tuple[str, ...]) -> None:
    """Evidence must be the same after the record was written as before."""
    folders = [Path(name).resolve() for name in given if Path(name).is_dir()]
    for target in targets:
        if any(folder in target.resolve().parents for folder in folders):
            raise SlowlinkError(
                f"{target} lies among the evidence, which would not be as it was then",
                hint="write it beside the evidence",
                slug="output-is-input",
            )


def _write(record: Acceptance, targets: list[tuple[Path, str]]) -> None:
    from slowlink.report.acceptance.screen import screen_text

    for path, form in targets:
        write_report(path, _rendered(record, form))
    with reader_may_leave():
        click.echo(screen_text(record, [str(path) for path, _ in targets]), nl=False)


def _rendered(record: Acceptance, form: str) -> str:
    if form == "json":
        from slowlink.report.acceptance.record import record_text

        return record_text(record)
    if form == "csv":
        from slowlink.report.acceptance.table import table_text

        return table_text(record)
    from slowlink.report.acceptance.page import page_text

    return page_text(record)


def _format_of(name: str) -> str:
    suffix = Path(name).suffix.lower()
    if suffix not in _SUFFIXES:
        raise click.BadParameter(f"'{name}': the suffix must be one of {', '.join(_SUFFIXES)}", param_hint="--output")
    return _SUFFIXES[suffix]


def _verify(record_path: str, others: tuple[str, ...], given: dict[str, Any]) -> int:
    from slowlink.report.acceptance.words import RESULTS, SEAL_MEANS
    from slowlink.report.escape import terminal_safe
    from slowlink.workflows.accepting.verify import VIEWS, verified

    if any(given[name] for name in ("nodes", "outputs", "require", "skip", "hcas")):
        raise SlowlinkError("--verify judges nothing anew", hint="beside it: the evidence, pages, tables", slug="usage")
    if Path(record_path).suffix.lower() in VIEWS:
        beside = Path(record_path).with_suffix(".json")
        raise SlowlinkError(
            f"{record_path} shows a record, and is none",
            hint=f"slowlink accept --verify {beside} {record_path}",
            slug="usage",
        )
    record, looked = verified(record_path, others)
    with reader_may_leave():
        click.echo(terminal_safe(f"{RESULTS[record.result]}  {record.headline}  (as the record says)"))
        for each in looked:
            why = f": {each.why}" if each.why else ""
            click.echo(terminal_safe(f"  {each.answer:<9}  {each.what}{why}"))
        click.echo(f"seal  {terminal_safe(record.seal)}\n{SEAL_MEANS}")
    answers = {each.answer for each in looked}
    if "changed" in answers:
        return exits.FINDINGS
    return exits.INCONCLUSIVE if "open" in answers else exits.HEALTHY
