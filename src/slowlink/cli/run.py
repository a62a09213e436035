"""``slowlink run``: measure a collective on real ranks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from slowlink import exits
from slowlink.benchmarks.interface import COLLECTIVES
from slowlink.cli.measuring.kubernetes_options import kubernetes_of
from slowlink.cli.measuring.options import run_options
from slowlink.cli.measuring.pair_options import check_pair, is_pair, pair_options, with_all_devices, with_pair
from slowlink.cli.options import hardware_of, hardware_options, node_choice, spelled_here
from slowlink.cli.pipes import note, tell
from slowlink.cli.quantities import Size
from slowlink.cli.shown.answer import tell_report
from slowlink.cli.shown.sections import ReportCommand
from slowlink.cli.verbosity import is_quiet
from slowlink.errors import SlowlinkError

if TYPE_CHECKING:
    from slowlink.model.report import Report
    from slowlink.workflows.gates import Judged
    from slowlink.workflows.plan_run import Asked


@click.command("run", cls=ReportCommand)
@click.argument("collective", metavar="COLLECTIVE", callback=spelled_here)
@click.argument("program_words", nargs=-1, type=click.UNPROCESSED, metavar="[-- WORDS...]")
@run_options
@pair_options(Size())
@hardware_options
def command(**given: Any) -> int:
    """Run COLLECTIVE on real ranks, keep all evidence in a bundle, and analyze it.

    COLLECTIVE: all_reduce, all_gather, reduce_scatter, alltoall, broadcast, reduce, sendrecv; or several of them:
    all_reduce,all_gather. Or a test of perftest between two nodes: ib_write_bw, ib_read_bw, ib_send_bw, ib_write_lat,
    ib_read_lat, ib_send_lat. WORDS go to the benchmark's program as they are.

    \b
      slowlink run all_reduce                           here: GPUs, or MPI ranks on CPU memory
      slowlink run all_reduce --nodes gpu[01-04]        over ssh
      srun/salloc ... slowlink run all_reduce           in a Slurm allocation
      slowlink run all_reduce --nodes gpu[01-64] --each-node     each by itself: which one is slower?
      slowlink run all_reduce --min-busbw 350           a gate: exit status 0 only when it holds
      slowlink run all_reduce --baseline nightly        worse than is usual? (slowlink baseline save nightly)
      slowlink run alltoall --repeat 5 --dry-run        what would run
      slowlink run all_reduce -- -N 20 -R 1             options of nccl-tests of your own
      slowlink run ib_write_bw --nodes gpu[01-02] --device mlx5_0 --device mlx5_1

    Ctrl-C ends the run on every node and analyzes what is there; a second one hurries.
    Exit status: 0 healthy and gates held, 1 findings or a gate failed, 2 usage, 3 not (wholly) measured, 130
    interrupted.
    """
    from slowlink.cli.measuring.keeping import history_place, keep_report
    from slowlink.cli.measuring.work import Work, describe_plans, load_baseline, measured
    from slowlink.cli.site_settings import site_settings
    from slowlink.cli.written_files import format_of, inputs_of, require_places
    from slowlink.launch.surroundings import collect

    _check(given)
    targets = [(Path(name), format_of(name)) for name in given["outputs"]]
    require_places([path for path, _ in targets], inputs_of(given))
    config = site_settings(given["config_path"])
    place_of_history = history_place(config, wanted=given["history"])
    hardware = hardware_of(given, config)
    baseline = load_baseline(given["baseline"], config)
    here = collect(given["mpirun"] or _vendors_mpirun(given["benchmark"]))
    asked = questions_of(given, here.run_id)
    with_all_devices(given, asked[0].allocation, here.programs.get("ssh"))
    asked = [with_pair(each, given) for each in asked]
    from slowlink.launch.temporary.places import temporary
    from slowlink.workflows.launches.legs import planned, with_places
    from slowlink.workflows.plan_run import is_shared
    from slowlink.workflows.run import place_beside

    beside = place_beside(given["bundle_path"])
    with temporary(beside if is_shared(beside) else None) as place:
        output = Path(place) / "output"
        if given["dry_run"]:
            describe_plans(planned(asked, here, output, hardware))
            return exits.HEALTHY
        left_out: dict[str, str] = {}
        if given["preflight"]:
            from slowlink.workflows.preflight import ready

            plans = planned(asked, here, output, hardware)
            asked, left_out = ready(asked, plans, here, skip_bad=given["skip_bad"], tell=note)
        plans, legs = with_places(asked, here, output, hardware, note)
        work = Work(here, plans, legs, Path(place), hardware, config.rules, baseline, left_out)
        report, judged, bundle = measured(given, work)
    status = _tell(report, judged, given)
    keep_report(report, place_of_history, command="run", bundle=bundle)
    try:
        _write(targets, report, given["fail_on"])
    except SlowlinkError as error:
        # It was measured and told: that the command line cannot work is not true any more.
        tell(error)
        return status or exits.INCONCLUSIVE
    return status


def _vendors_mpirun(benchmark: str) -> str | None:
    """MACA brings an Open MPI that knows its memory; one of the system would not."""
    found = sorted(Path("/opt").glob("maca*/ompi/bin/mpirun")) if benchmark == "mccl" else []
    return str(found[0]) if found else None


def _check(given: dict[str, Any]) -> None:
    check_pair(given)
    if not is_pair(given) and given["benchmark"] != "nvbandwidth":
        for name in _collectives(given):
            require_collective(name)
    if is_pair(given) and given["each_node"]:
        raise click.UsageError("--each-node is for collectives; a pair of perftest has two nodes")
    if given["program_words"] and not given["program_words"][0].startswith("-"):
        raise click.UsageError(
            f"'{given['program_words'][0]}' is one word too many; options for the benchmark's program stand behind --"
        )
    if given["maxbytes"] is not None and given["minbytes"] > given["maxbytes"]:
        raise click.BadParameter("the smallest size is above the largest", param_hint="-b")


def require_collective(name: str) -> None:
    """Raises BadParameter, with the nearest names that there are, for a collective that nobody knows."""
    if name not in COLLECTIVES:
        from difflib import get_close_matches

        near = get_close_matches(name.replace("-", "_"), COLLECTIVES, n=1)
        hint = f"did you mean {near[0]}?" if near else f"one of {', '.join(COLLECTIVES)}"
        raise click.BadParameter(f"'{name}' is no collective; {hint}", param_hint="COLLECTIVE")


def _collectives(given: dict[str, Any]) -> list[str]:
    """``all_reduce,all_gather``: several are measured in one run."""
    return list(dict.fromkeys(name.strip() for name in given["collective"].split(",")))


def questions_of(given: dict[str, Any], run_id: str) -> list[Asked]:
    """A question for each collective."""
    from msgspec.structs import replace

    from slowlink.benchmarks.interface import Request
    from slowlink.launch.interface import LaunchOptions
    from slowlink.samplers import RUN_VARIABLE
    from slowlink.workflows.job_environment import Borrowed, borrowed, of_this_shell, parse_assignments
    from slowlink.workflows.nodes_given import chosen_nodes
    from slowlink.workflows.plan_run import Asked

    taken = borrowed(given["env_from"]) if given["env_from"] else Borrowed({}, ())
    if taken.left_out:
        names = ", ".join(taken.left_out)
        why = "it names programs, code to load or files to write"
        note(f"# not taken from {given['env_from']}, since {why}: {names} (--env gives it)")
    first, *others = _collectives(given)
    asked = Asked(
        request=Request(
            collective=first,
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
        allocation=chosen_nodes(node_choice(given)),
        nranks=given["nranks"],
        ranks_per_node=given["ranks_per_node"],
        env={
            **of_this_shell(),
            **taken.settings,
            RUN_VARIABLE: run_id,
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
        each_node=given["each_node"],
    )
    return [asked, *(replace(asked, request=replace(asked.request, collective=name)) for name in others)]


def _write(targets: list[tuple[Path, str]], report: Report, fail_on: str) -> None:
    from slowlink.cli.written_files import write_report
    from slowlink.report import render

    for path, target_format in targets:
        write_report(path, render(report, target_format, fail_on=fail_on))


def _tell(report: Report, judged: Judged, given: dict[str, Any]) -> int:
    """Print the report and the gates; the exit status."""
    from slowlink.report.escape import terminal_safe

    tell_report(report, given["format_"], given["fail_on"])
    beside = is_quiet() or given["format_"] != "terminal"
    for line in judged.lines():
        click.echo(terminal_safe(line), err=beside)
    return exits.decide(
        report.verdict,
        [each.severity for each in report.diagnoses],
        given["fail_on"],
        gates=judged.statuses,
        thresholds=judged.has_thresholds,
        interrupted=judged.interrupted,
    )
