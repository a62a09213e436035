"""``slowlink run``: measure a collective on real ranks."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from slowlink import exits
from slowlink.benchmarks.interface import COLLECTIVES
from slowlink.cli.kubernetes_options import kubernetes_of, kubernetes_options
from slowlink.cli.options import gate_options, hardware_options
from slowlink.cli.pair_options import check_pair, is_pair, pair_options, with_pair, with_pair_gates
from slowlink.cli.pipes import note, tell
from slowlink.cli.quantities import Percent, Size
from slowlink.cli.verbosity import format_options, shown_format
from slowlink.errors import SlowlinkError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from slowlink.bundle import BundleWriter
    from slowlink.config import Config
    from slowlink.expect.busbw import Prediction
    from slowlink.launch.interface import Surroundings
    from slowlink.model.facts import Hardware
    from slowlink.model.report import Report
    from slowlink.workflows.gates import Judged
    from slowlink.workflows.plan_run import Asked, Prepared
    from slowlink.workflows.rank_files import RankFiles
    from slowlink.workflows.run import Launch
    from slowlink.workflows.state_around import StateAround
    from slowlink.workflows.watch import WatchedRun, Watching

_BENCHMARKS = ["auto", "nccl-tests", "rccl-tests", "mccl", "probe", "perftest", "nvbandwidth"]


@click.command("run")
@click.argument("collective", metavar="COLLECTIVE")
@click.argument("program_words", nargs=-1, type=click.UNPROCESSED, metavar="[-- WORDS...]")
@click.option("--on", metavar="LAUNCHER", help="local, ssh, slurm, kubernetes; default: what is here, with the reason.")
@click.option("--nodes", "node_set", metavar="SET", help="Nodes: node[01-04], or a,b,c.")
@click.option("--hostfile", metavar="FILE", help="Nodes from a file (Open MPI, MPICH, plain names).")
@click.option("--ranks-per-node", type=click.IntRange(1, 4096), help="Default: the GPUs of a node; without GPU a few.")
@click.option("-n", "--ranks", "nranks", type=click.IntRange(1, 1 << 20), help="Ranks in all.")
@click.option("-b", "--minbytes", type=Size(), default="8", show_default=True, help="Smallest size.")
@click.option("-e", "--maxbytes", type=Size(), help="Largest size.  [default: 8G with GPUs, else 128M]")
@click.option("-f", "--factor", type=click.IntRange(2, 1024), default=2, show_default=True, help="From size to size.")
@click.option("--iters", type=click.IntRange(1, 1_000_000), default=20, show_default=True, help="Timed iterations.")
@click.option(
    "--warmup", type=click.IntRange(0, 1_000_000), default=5, show_default=True, help="Iterations before them."
)
@click.option("--datatype", default="float", show_default=True, help="float, half, bfloat16, double, int32 ...")
@click.option("--redop", default="sum", show_default=True, help="sum, prod, min, max.")
@click.option("--no-check", is_flag=True, help="Do not check results (they are checked after the timed iterations).")
@click.option("--benchmark", type=click.Choice(_BENCHMARKS), default="auto", show_default=True, help="What measures.")
@click.option("--path", metavar="PROGRAM", help="The benchmark's program, or the directory of its programs.")
@click.option("--backend", type=click.Choice(["mpi", "gloo", "nccl"]), help="Of the probe: CPU memory, or torch.")
@click.option(
    "--repeat", type=click.IntRange(1, 1000), default=1, show_default=True, help="Launches; shows the spread."
)
@gate_options
@click.option("--baseline", metavar="REPORT.json", help="Gate: exit 1 when slower than this earlier report.")
@click.option("--tolerance", type=Percent(), default="5%", show_default=True, help="Of the baseline.")
@click.option(
    "--fail-on", type=click.Choice(exits.FAIL_ON), default=exits.DEFAULT_FAIL_ON,
    show_default=True, help="Least severity of a diagnosis that makes the exit status 1.",
)  # fmt: skip
@click.option("--timeout", type=click.FloatRange(min=0, min_open=True), default=1800, show_default=True,
              metavar="SECONDS", help="Each launch is ended after this long.")  # fmt: skip
@click.option("--silent-after", type=click.FloatRange(min=0, min_open=True), default=60, show_default=True,
              metavar="SECONDS", help="Give up after so long without output, if a node is gone too.")  # fmt: skip
@click.option("--env", "env", multiple=True, metavar="NAME=VALUE", help="Variable for every rank. Repeatable.")
@click.option("--env-from", metavar="FILE|PID|JOBID", help="Take the NCCL, UCX and MPI settings of a job.")
@click.option("--launcher-arg", multiple=True, metavar="ARG", help="Passed to mpirun, srun ... as it is. Repeatable.")
@click.option("--partition", help="Slurm.")
@click.option("--account", help="Slurm.")
@click.option("--batch", is_flag=True, help="Slurm: submit with sbatch, from a login node.")
@click.option("--namespace", help="Kubernetes.")
@click.option("--context", help="Kubernetes.")
@click.option("--image", help="Kubernetes: the container image with the benchmark and MPI.")
@kubernetes_options
@click.option("--bundle", "bundle_path", metavar="DIR", help="Where the evidence goes; default: a new directory here.")
@click.option("--output", "-o", "outputs", multiple=True, metavar="FILE",
              help="Write a report too (.html .json .md .xml .txt). Repeatable.")  # fmt: skip
@format_options
@click.option("--config", "config_path", metavar="FILE", help="Site settings; default: slowlink.toml here.")
@click.option("--snapshot/--no-snapshot", default=True, help="Ask the nodes for their state before and after.")
@click.option("--watch", is_flag=True, help="Sample the nodes meanwhile: who else uses their CPUs and GPUs, counters.")
@click.option("--anonymize", is_flag=True, help="Replace hosts, addresses and users in the bundle.")
@click.option("--dry-run", is_flag=True, help="Print exactly what would run, and stop.")
@pair_options(Size())
@hardware_options
def command(**given: Any) -> int:
    """Run COLLECTIVE on real ranks, keep all evidence in a bundle, and analyze it.

    COLLECTIVE: all_reduce, all_gather, reduce_scatter, alltoall, broadcast, reduce, sendrecv. Or a test of perftest
    between two nodes: ib_write_bw, ib_read_bw, ib_send_bw, ib_write_lat, ib_read_lat, ib_send_lat. WORDS go to the
    benchmark's program as they are.

    \b
      slowlink run all_reduce                           here: GPUs, or MPI ranks on CPU memory
      slowlink run all_reduce --nodes gpu[01-04]        over ssh
      srun/salloc ... slowlink run all_reduce           in a Slurm allocation
      slowlink run all_reduce --min-busbw 350           a gate: exit status 0 only when it holds
      slowlink run all_reduce --baseline last.json      slower than last time?
      slowlink run alltoall --repeat 5 --dry-run        what would run
      slowlink run all_reduce -- -N 20 -R 1             options of nccl-tests of your own
      slowlink run ib_write_bw --nodes gpu[01-02] --device mlx5_0 --device mlx5_1

    Ctrl-C ends the run on every node and analyzes what is there; a second one hurries.
    Exit status: 0 healthy and gates held, 1 findings or a gate failed, 2 usage, 3 not (wholly) measured, 130
    interrupted.
    """
    from slowlink.cli.analyze import _format_of
    from slowlink.cli.site_settings import site_settings
    from slowlink.cli.written_files import require_places
    from slowlink.launch.surroundings import collect

    _check(given)
    targets = [(Path(name), _format_of(name)) for name in given["outputs"]]
    require_places([path for path, _ in targets], ())
    config = site_settings(given["config_path"])
    hardware = _hardware(given, config)
    baseline = _load_baseline(given["baseline"])
    here = collect()
    asked = with_pair(_asked(given, here.run_id), given)
    from slowlink.workflows.plan_run import is_shared, plan_run
    from slowlink.workflows.rank_files import files_of
    from slowlink.workflows.rank_files.on_nodes import in_words
    from slowlink.workflows.run import describable, place_beside, workplace

    beside = place_beside(given["bundle_path"])
    with workplace(beside if is_shared(beside) else None) as place:
        prepared = plan_run(asked, here, Path(place) / "output")
        expected = _predict(prepared, hardware)
        if given["dry_run"]:
            from slowlink.launch.describe import describe

            for reason in prepared.reasons:
                click.echo(f"# {reason}")
            click.echo(describe(describable(prepared)), nl=False)
            return exits.HEALTHY
        files = files_of(prepared, here.programs)
        if files is not None and (refused := files.make()):
            for line in in_words(refused):
                note(f"no place for what ranks write (NCCL's log, iterations): {line}")
            files.remove()
            prepared, files = plan_run(asked, here, Path(place) / "output", on_nodes=False), None
        watched = _watched(given, here)
        known = (hardware, config.rules, baseline)
        report, judged = _run(given, here, prepared, files, expected, Path(place), *known, watched)
    status = _tell(report, judged, given)
    try:
        _write(targets, report, given["fail_on"])
    except SlowlinkError as error:
        # It was measured and told: that the command line cannot work is not true any more.
        tell(error)
        return status or exits.INCONCLUSIVE
    return status


def _watched(given: dict[str, Any], here: Surroundings) -> WatchedRun | None:
    from slowlink.workflows.watch import WatchedRun

    return WatchedRun(here, given["context"], given["namespace"]) if given["watch"] else None


def _hardware(given: dict[str, Any], config: Config) -> Hardware | None:
    names = ("system", "gpu", "gpus_per_node", "nics")
    named = {name: given[name] or getattr(config, name) for name in names}
    if not any(named.values()):
        return None
    from slowlink.catalog.given import given_hardware

    return given_hardware(**named)


def _check(given: dict[str, Any]) -> None:
    check_pair(given)
    if given["collective"] not in COLLECTIVES and not is_pair(given) and given["benchmark"] != "nvbandwidth":
        from difflib import get_close_matches

        near = get_close_matches(given["collective"].replace("-", "_"), COLLECTIVES, n=1)
        hint = f"did you mean {near[0]}?" if near else f"one of {', '.join(COLLECTIVES)}"
        raise click.BadParameter(f"'{given['collective']}' is no collective; {hint}", param_hint="COLLECTIVE")
    if given["program_words"] and not given["program_words"][0].startswith("-"):
        raise click.UsageError(
            f"'{given['program_words'][0]}' is one word too many; options for the benchmark's program stand behind --"
        )
    if given["maxbytes"] is not None and given["minbytes"] > given["maxbytes"]:
        raise click.BadParameter("the smallest size is above the largest", param_hint="-b")
    if given["node_set"] and given["hostfile"]:
        raise click.UsageError("nodes come from one place: --nodes or --hostfile")


def _asked(given: dict[str, Any], run_id: str) -> Asked:
    from slowlink.benchmarks.interface import Request
    from slowlink.launch.interface import LaunchOptions
    from slowlink.samplers import RUN_VARIABLE
    from slowlink.workflows.job_environment import Borrowed, borrowed, of_this_shell, parse_assignments
    from slowlink.workflows.nodes_given import allocation_of
    from slowlink.workflows.plan_run import Asked

    taken = borrowed(given["env_from"]) if given["env_from"] else Borrowed({}, ())
    if taken.left_out:
        names = ", ".join(taken.left_out)
        note(f"# not taken from {given['env_from']}, since it names programs or code to load: {names} (--env gives it)")
    return Asked(
        request=Request(
            collective=given["collective"],
            min_bytes=given["minbytes"],
            max_bytes=given["maxbytes"] or 0,
            factor=given["factor"],
            iterations=given["iters"],
            warmup=given["warmup"],
            datatype=given["datatype"],
            redop=given["redop"],
            check=not given["no_check"],
            backend=given["backend"],
            extra=given["program_words"],
        ),
        benchmark=given["benchmark"],
        path=given["path"],
        on=given["on"],
        allocation=allocation_of(given["node_set"], given["hostfile"]),
        nranks=given["nranks"],
        ranks_per_node=given["ranks_per_node"],
        env={
            **of_this_shell(),
            **taken.settings,
            **({RUN_VARIABLE: run_id} if given["watch"] else {}),
            **parse_assignments(given["env"]),
        },
        options=LaunchOptions(
            timeout_s=given["timeout"],
            extra=given["launcher_arg"],
            partition=given["partition"],
            account=given["account"],
            namespace=given["namespace"],
            image=given["image"],
            context=given["context"],
            batch=given["batch"],
            kubernetes=kubernetes_of(given),
        ),
    )


def _predict(prepared: Prepared, hardware: Hardware | None) -> Prediction | None:
    """What to expect, where the hardware was named and GPUs take part."""
    if hardware is None or prepared.job.gpus_per_node is None:
        return None
    from slowlink.expect.busbw import Prediction, predict
    from slowlink.expect.case import Case

    nnodes = max(len(prepared.plan.nodes), 1)
    found = predict(Case(prepared.request.collective, prepared.job.nranks, nnodes, hardware))
    return found if isinstance(found, Prediction) else None


def _run(
    given: dict[str, Any],
    here: Surroundings,
    prepared: Prepared,
    files: RankFiles | None,
    expected: Prediction | None,
    place: Path,
    hardware: Hardware | None,
    rules: Any,
    baseline: Report | None,
    watched: WatchedRun | None,
) -> tuple[Report, Judged]:
    from slowlink.bundle.disk import is_disk_trouble
    from slowlink.workflows import run
    from slowlink.workflows.live import sizes
    from slowlink.workflows.live_view import PlainView, TableView
    from slowlink.workflows.state_around import state_around

    for reason in prepared.reasons:
        note(f"# {reason}")
    request = prepared.request
    count = len(sizes(request.min_bytes, request.max_bytes, request.factor))
    nodes = max(len(prepared.plan.nodes), 1)
    title = f"{request.collective}, {prepared.job.nranks} ranks on {nodes} node{'s' if nodes > 1 else ''}"
    view = (TableView if sys.stderr.isatty() else PlainView)(title, count, expected)
    bundle = _bundle(given, request.collective)
    limits = run.Limits(given["timeout"], given["silent_after"])
    asked = state_around(prepared, here, bundle) if given["snapshot"] else None
    beside = watched.beside(prepared, bundle) if watched is not None else None
    launches: tuple[run.Launch, ...] = ()
    unwritten: SlowlinkError | None = None
    try:
        with bundle, view.shown():
            launches = run.measure(
                prepared,
                bundle,
                place,
                repeat=given["repeat"],
                limits=limits,
                watcher=view,
                files=files,
                around=[each for each in (asked, beside) if each is not None],
            )
    except SlowlinkError as error:
        if not is_disk_trouble(error):
            raise
        unwritten = error  # what has been measured is analyzed all the same
        tell(error)
    _tell_missing(launches, asked, beside)
    note(f"bundle: {bundle.directory}")
    report = run.report_of_bundle(bundle.directory, launches, hardware=hardware, tolerances=rules)
    from slowlink.workflows.gates import Wanted, judge

    wanted = Wanted(
        request.collective if request.collective in COLLECTIVES else None,
        prepared.job.nranks,
        request.max_bytes,
        given["min_busbw"],
        given["min_percent"],
        baseline,
        given["tolerance"],
        expected,
    )
    judged = judge(report, launches, given["repeat"], wanted)
    if unwritten is not None:
        judged = judged.without_evidence(unwritten.message)
    judged = with_pair_gates(judged, report, given)
    return judged.told(report), judged


def _bundle(given: dict[str, Any], topic: str) -> BundleWriter:
    from slowlink.bundle import BundleWriter
    from slowlink.redact import Anonymizer, Redaction

    redaction = Redaction(Anonymizer()) if given["anonymize"] else Redaction()
    if given["bundle_path"]:
        return BundleWriter(Path(given["bundle_path"]), command=sys.argv, redaction=redaction)
    return BundleWriter.create(topic=topic, command=sys.argv, redaction=redaction)


def _tell_missing(launches: Sequence[Launch], asked: StateAround | None, beside: Watching | None) -> None:
    """What the bundle does not have of the nodes, and why."""
    from slowlink.workflows.rank_files.on_nodes import in_words

    for launch in launches:
        for line in in_words(dict(launch.missing)):
            note(f"what ranks wrote is missing in {launch.name}: {line}")
    for node, why in asked.troubles if asked is not None else ():
        note(f"{node} did not say how it is: {why}")
    for node, why in beside.troubles if beside is not None else ():
        note(f"{node} was not watched: {why}")


def _load_baseline(path: str | None) -> Report | None:
    if path is None:
        return None
    import json

    from slowlink.inputs.small_text import MOST_REPORT_BYTES, small_text
    from slowlink.report.json import report_from_json

    try:
        return report_from_json(json.loads(small_text(Path(path), MOST_REPORT_BYTES)))
    except (OSError, ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
        raise SlowlinkError(
            f"cannot read the baseline {path}: {error}",
            hint="it is a report that was written with --output REPORT.json",
            slug="baseline-unreadable",
        ) from error


def _write(targets: list[tuple[Path, str]], report: Report, fail_on: str) -> None:
    from slowlink.cli.written_files import write_report
    from slowlink.report import render

    for path, target_format in targets:
        write_report(path, render(report, target_format, fail_on=fail_on))


def _tell(report: Report, judged: Judged, given: dict[str, Any]) -> int:
    """Print the report and the gates; the exit status."""
    from slowlink.cli.colours import is_coloured
    from slowlink.report import render
    from slowlink.report.escape import terminal_safe

    text = render(report, shown_format(given["format_"]), color=is_coloured(), fail_on=given["fail_on"])
    click.echo(text, nl=not text.endswith("\n"), color=True)
    beside = given["format_"] != "terminal"
    for line in judged.lines():
        click.echo(terminal_safe(line), err=beside)
    return exits.decide(
        report.verdict,
        [each.severity for each in report.diagnoses],
        given["fail_on"],
        gates=judged.statuses,
        interrupted=judged.interrupted,
    )
