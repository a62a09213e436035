"""``slowlink watch``: who else is at work on the nodes, while a job of yours runs there."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import click

from slowlink import exits
from slowlink.cli.measuring.keeping import history_option, history_place, keep_report
from slowlink.cli.options import config_option, fail_on_option, node_choice, node_options, report_option
from slowlink.cli.pipes import note
from slowlink.cli.quantities import FiniteRange
from slowlink.cli.shown.answer import tell_report
from slowlink.cli.shown.sections import ReportCommand
from slowlink.cli.verbosity import format_options
from slowlink.errors import SlowlinkError


# The first word that is no option begins PROGRAM, whose options are its own; an option before it that we do not know
# is a slip.
@click.command("watch", cls=ReportCommand, context_settings={"allow_interspersed_args": False})
@click.argument("program", nargs=-1, type=click.UNPROCESSED, metavar="[-- PROGRAM ...]")
@node_options
@click.option("--on", type=click.Choice(["local", "ssh", "slurm"]), help="How nodes are reached; default: ssh.")
@click.option("--for", "seconds", type=FiniteRange(min=1), metavar="SECONDS",
              help="End after this long, PROGRAM too; default: until Ctrl-C, two hours at most.")  # fmt: skip
@click.option("--interval", type=FiniteRange(0.2, 3600), default=1.0, show_default=True, metavar="SECONDS")
@click.option("--ours", multiple=True, metavar="NAME", help="Process that belongs to the job. Repeatable.")
@click.option("--root", default="", metavar="DIR", help="Where the host's root is mounted, in containers.")
@click.option("--bundle", "bundle_path", metavar="DIR", help="Where the evidence goes; default: a new directory here.")
@report_option
@format_options
@fail_on_option()
@history_option(default=True)
@config_option
def command(**given: Any) -> int:
    """Sample processes, CPUs, GPUs and counters of the nodes while PROGRAM runs, or until Ctrl-C, and analyze them.

    \b
      slowlink watch --nodes gpu[01-04] -- mpirun -np 32 ... all_reduce_perf -b 8 -e 8G -f 2
      slowlink watch --nodes gpu[01-04] --ours python3       beside a job that runs already
      slowlink watch --for 60

    What PROGRAM starts here is known as the job by a variable; what it starts on other nodes needs --ours NAME, or
    "-x SLOWLINK_RUN" of mpirun. slowlink run --watch does all of it by itself.
    Exit status: 0 nothing found, 1 findings, 2 usage, 3 nothing can be said, 130 PROGRAM was interrupted.
    """
    from slowlink.bundle import BundleWriter
    from slowlink.cli.site_settings import site_settings
    from slowlink.cli.written_files import format_of, inputs_of, require_places, write_report
    from slowlink.report import render
    from slowlink.report.escape import terminal_safe
    from slowlink.workflows.analyze import analyze
    from slowlink.workflows.watch import nodes_and_way, watch

    targets = [(Path(name), format_of(name)) for name in given["outputs"]]
    require_places([path for path, _ in targets], inputs_of(given))
    config = site_settings(given["config_path"])
    place = history_place(config, wanted=given["history"])
    nodes, way = nodes_and_way(node_choice(given), given["on"])
    if given["program"] and shutil.which(given["program"][0]) is None:
        name = terminal_safe(given["program"][0])
        raise SlowlinkError(f"there is no program {name} to run", hint="watch [OPTIONS] -- PROGRAM ...", slug="usage")
    given_path = given["bundle_path"]
    bundle = (
        BundleWriter(Path(given_path), command=sys.argv)
        if given_path
        else BundleWriter.create(topic="watch", command=sys.argv)
    )
    sampling = _sampling(given)
    with bundle:
        bundle.set_nodes([node.name for node in nodes])
        done = watch(nodes, way, sampling, bundle, program=given["program"], seconds=given["seconds"], tell=note)
    if done.program:
        note(f"{given['program'][0]} {done.program}")
    for node, why in done.troubles:
        note(f"{node} was not watched: {why}")
    note(f"bundle: {bundle.directory}")
    if len(done.troubles) == len(nodes):
        return exits.INCONCLUSIVE
    report = analyze(bundle.directory, tolerances=config.rules)
    for path, target_format in targets:
        write_report(path, render(report, target_format, fail_on=given["fail_on"]))
    tell_report(report, given["format_"], given["fail_on"])
    keep_report(report, place, command="watch", bundle=bundle.directory)
    severities = [each.severity for each in report.diagnoses]
    unknown = (exits.INCONCLUSIVE,) if done.troubles else ()
    return exits.decide(report.verdict, severities, given["fail_on"], gates=unknown, interrupted=done.interrupted)


def _sampling(given: dict[str, Any]) -> Any:
    import os

    from slowlink.samplers import LONGEST_S, Sampling, watch_script

    longest = LONGEST_S if given["seconds"] is None else given["seconds"]
    sampling = Sampling(
        run=os.urandom(4).hex(),
        interval_s=given["interval"],
        longest_s=longest,
        root=given["root"].rstrip("/"),
        ours=given["ours"],
        launcher=(os.uname().nodename, os.getpid()),
    )
    try:
        watch_script(sampling)
    except ValueError as error:
        raise SlowlinkError(
            f"--ours and --root take plain words: {error}", hint="--ours python3 --root /host", slug="usage"
        ) from error
    return sampling
