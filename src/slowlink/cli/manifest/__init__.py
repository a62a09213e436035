"""``slowlink manifest``: the Kubernetes objects or the batch script that ``run`` would use, to read, keep or apply."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import replace

from slowlink import exits
from slowlink.benchmarks.interface import COLLECTIVES
from slowlink.cli.measuring.kubernetes_options import kubernetes_of, kubernetes_options
from slowlink.cli.options import CollectiveChoice
from slowlink.cli.quantities import FiniteRange
from slowlink.cli.shown.sections import ReportCommand

if TYPE_CHECKING:
    from slowlink.launch.interface import LaunchOptions, Surroundings
    from slowlink.model.plan import Plan

_FILES = {"kubernetes": "objects.yaml", "slurm": "job.sh"}


class _OrLint(ReportCommand):
    """``--lint`` asks another question, with options of its own."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        if "--lint" in args:
            from slowlink.cli.manifest.lint import command as lint

            return lint.make_context(f"{info_name} --lint", args, parent, **extra)
        return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        return super().invoke(ctx) if ctx.command is self else ctx.command.invoke(ctx)


@click.command("manifest", cls=_OrLint)
@click.argument("collective", type=CollectiveChoice(COLLECTIVES), metavar="COLLECTIVE")
@click.option("--on", "launcher", type=click.Choice(sorted(_FILES)), required=True)
@click.option("--ranks", "-n", type=click.IntRange(1, 1_000_000), required=True, help="Ranks in all.")
@click.option("--ranks-per-node", type=click.IntRange(1, 1024), default=8, show_default=True)
@click.option("--nodes", "node_set", metavar="SET", help="Slurm: ask for these nodes.")
@click.option("--benchmark", default="nccl-tests", show_default=True, metavar="NAME")
@click.option("--path", metavar="PROGRAM", help="The benchmark, as the nodes or the image have it.")
@click.option("--minbytes", "--min-bytes", "-b", "min_bytes", default="8", show_default=True, metavar="BYTES")
@click.option("--maxbytes", "--max-bytes", "-e", "max_bytes", default="1G", show_default=True, metavar="BYTES")
@click.option("--env", "env", multiple=True, metavar="NAME=VALUE", help="A variable for every rank.")
@click.option("--timeout", "timeout_s", type=FiniteRange(min=1), default=1800, show_default=True, help="Seconds.")
@click.option("--name", "run_id", metavar="WORD", help="Ends the names of the objects, instead of a random word.")
@click.option("--partition", help="Slurm.")
@click.option("--account", help="Slurm.")
@click.option("--image", help="Kubernetes: an image with sshd, mpirun and the benchmark.")
@click.option("--namespace", help="Kubernetes.")
@kubernetes_options
def command(collective: str, launcher: str, **given: Any) -> int:
    """Print what `slowlink run COLLECTIVE --on LAUNCHER` would hand to Kubernetes or Slurm. Nothing is started.
    COLLECTIVE: all_reduce, all_gather, reduce_scatter, alltoall, broadcast, reduce, sendrecv.

    \b
      slowlink manifest all_reduce --on kubernetes -n 32 --image registry.example/nccl-tests:2.27 | kubectl diff -f -
      slowlink manifest all_reduce --on slurm -n 32 --partition gpu > all_reduce.sh
      slowlink manifest --lint my-job.yaml

    Pods also need the Secret of the run: two commands, printed on standard error.

    `slowlink manifest --lint FILE...` says what stands against a manifest of your own (--lint --help).
    """
    plan = _plan(collective, launcher, given)
    wanted = _FILES[launcher]
    click.echo(next(file.content for file in plan.files if file.path == wanted), nl=False)
    if launcher == "kubernetes" and plan.prepare[:-1]:
        from slowlink.quoting import quote

        click.echo("# before these objects, the key pair of the run (scratch: a directory of your own):", err=True)
        for step in plan.prepare[:-1]:
            click.echo(quote(step.argv).replace("{scratch}", "scratch"), err=True)
    return exits.HEALTHY


def _plan(collective: str, launcher: str, given: dict[str, Any]) -> Plan:
    from slowlink.benchmarks.find import benchmarks
    from slowlink.benchmarks.interface import Program, Request
    from slowlink.errors import SlowlinkError
    from slowlink.launch.choose import launchers
    from slowlink.launch.node_lists import from_node_set
    from slowlink.model.plan import Allocation, RankJob
    from slowlink.workflows.job_environment import parse_assignments

    benchmark = benchmarks().get(given["benchmark"])
    if benchmark is None:
        raise SlowlinkError(
            f"there is no benchmark {given['benchmark']!r}",
            hint=f"one of {', '.join(sorted(benchmarks()))}",
            slug="unknown-benchmark",
        )
    request = Request(collective, _bytes(given["min_bytes"]), _bytes(given["max_bytes"]))
    # The program is where the ranks will be; it cannot be asked from here what it is.
    program = Program(given["path"] or benchmark.candidates(collective)[0], None, None)
    rank = benchmark.command(request, program)
    per_node = min(given["ranks_per_node"], given["ranks"])
    job = RankJob(
        argv=_without_outputs(rank.argv),
        nranks=given["ranks"],
        ranks_per_node=per_node,
        env=parse_assignments(given["env"]),
        gpus_per_node=rank.gpus_per_rank * per_node or None,
        timeout_s=given["timeout_s"],
    )
    if given["without_sshd"]:
        raise SlowlinkError(
            "objects alone do not run without sshd: nobody would hand commands on to the pods",
            hint="slowlink run --on kubernetes --without-sshd",
            slug="needs-sshd",
        )
    allocation = from_node_set(given["node_set"]) if given["node_set"] else Allocation((), "the scheduler chooses")
    return launchers()[launcher].plan(job, allocation, _elsewhere(given["run_id"]), _options(given))


def _elsewhere(run_id: str | None) -> Surroundings:
    """The objects are for another machine: this one need not have kubectl or Slurm."""
    from slowlink.launch.surroundings import collect

    here = collect()
    programs = {"kubectl": "kubectl", "sbatch": "sbatch", **here.programs}
    outside = {name: value for name, value in here.environment.items() if not name.startswith("SLURM_")}
    return replace(here, programs=programs, environment=outside, run_id=run_id or here.run_id)


def _options(given: dict[str, Any]) -> LaunchOptions:
    from slowlink.launch.interface import LaunchOptions

    return LaunchOptions(
        partition=given["partition"],
        account=given["account"],
        image=given["image"],
        namespace=given["namespace"],
        batch=True,
        kubernetes=kubernetes_of(given),
    )


def _without_outputs(argv: tuple[str, ...]) -> tuple[str, ...]:
    """Files that only a run collects are not asked for: an option with ``{output}`` goes with its value."""
    dropped = {index for index, word in enumerate(argv) if "{output}" in word}
    dropped |= {index - 1 for index in dropped if index and argv[index - 1].startswith("-")}
    return tuple(word for index, word in enumerate(argv) if index not in dropped)


def _bytes(text: str) -> int:
    from slowlink.errors import SlowlinkError
    from slowlink.units import parse_size

    size = parse_size(text)
    if not size:
        raise SlowlinkError(f"cannot read the size {text!r}", hint="write 8, 64K or 1G", slug="bad-size")
    return size
