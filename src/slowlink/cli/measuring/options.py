"""Options of ``slowlink run``: where ranks start, what they measure, which gates hold, where evidence goes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import click

from slowlink.cli.measuring.keeping import history_option
from slowlink.cli.measuring.kubernetes_options import kubernetes_options
from slowlink.cli.options import config_option, fail_on_option, gate_options, node_options, report_option
from slowlink.cli.quantities import FiniteRange, Percent, Size
from slowlink.cli.verbosity import format_options

F = TypeVar("F", bound=Callable[..., object])

_BENCHMARKS = ["auto", "nccl-tests", "rccl-tests", "mccl", "probe", "perftest", "nvbandwidth"]
_OPTIONS: tuple[Callable[[F], F], ...] = (
    click.option(
        "--on", metavar="LAUNCHER", help="local, ssh, slurm, kubernetes; default: what is here, with the reason."
    ),
    node_options,
    click.option(
        "--ranks-per-node", type=click.IntRange(1, 4096), help="Default: the GPUs of a node; without GPU a few."
    ),
    click.option("-n", "--ranks", "nranks", type=click.IntRange(1, 1 << 20), help="Ranks in all."),
    click.option("-b", "--minbytes", type=Size(), default="8", show_default=True, help="Smallest size."),
    click.option("-e", "--maxbytes", type=Size(), help="Largest size.  [default: 8G with GPUs, else 128M]"),
    click.option(
        "-f", "--factor", type=click.IntRange(2, 1024), default=2, show_default=True, help="From size to size."
    ),
    click.option("--iters", type=click.IntRange(1, 1_000_000), default=20, show_default=True, help="Timed iterations."),
    click.option(
        "--warmup", type=click.IntRange(0, 1_000_000), default=5, show_default=True, help="Iterations before them."
    ),
    click.option("--datatype", default="float", show_default=True, help="float, half, bfloat16, double, int32 ..."),
    click.option("--redop", default="sum", show_default=True, help="sum, prod, min, max."),
    click.option(
        "--no-check", is_flag=True, help="Do not check results (they are checked after the timed iterations)."
    ),
    click.option(
        "--benchmark", type=click.Choice(_BENCHMARKS), default="auto", show_default=True, help="What measures."
    ),
    click.option("--path", metavar="PROGRAM", help="The benchmark's program, or the directory of its programs."),
    click.option("--backend", type=click.Choice(["mpi", "gloo", "nccl"]), help="Of the probe: CPU memory, or torch."),
    click.option(
        "--repeat", type=click.IntRange(1, 1000), default=1, show_default=True, help="Launches; shows the spread."
    ),
    click.option(
        "--each-node", is_flag=True, help="Every node measures by itself, all side by side: which one is slower?"
    ),
    gate_options,
    click.option(
        "--baseline",
        metavar="NAME|REPORT.json",
        help="Gate: exit 1 when worse than this baseline (slowlink baseline list), or slower than an earlier report.",
    ),
    click.option("--tolerance", type=Percent(), default="5%", show_default=True, help="Loss that must be excluded."),
    fail_on_option(),
    click.option(
        "--timeout",
        type=FiniteRange(min=0, min_open=True),
        default=1800,
        show_default=True,
        metavar="SECONDS",
        help="Each launch is ended after this long.",
    ),
    click.option(
        "--silent-after",
        type=FiniteRange(min=0, min_open=True),
        default=60,
        show_default=True,
        metavar="SECONDS",
        help="Give up after so long without output, if a node is gone or a rank stands still.",
    ),
    click.option(
        "--preflight/--no-preflight", default=True, help="Over ssh: look first whether every node can take part."
    ),
    click.option("--skip-bad", is_flag=True, help="Go on without the nodes that cannot take part."),
    click.option("--env", "env", multiple=True, metavar="NAME=VALUE", help="Variable for every rank. Repeatable."),
    click.option("--env-from", metavar="FILE|PID|JOBID", help="Take the NCCL, UCX and MPI settings of a job."),
    click.option(
        "--launcher-arg", multiple=True, metavar="ARG", help="Passed to mpirun, srun ... as it is. Repeatable."
    ),
    click.option(
        "--mpirun", metavar="PROGRAM", help="Starts ranks; default: beside this Python, on PATH; of MACA for mccl."
    ),
    click.option("--partition", help="Slurm."),
    click.option("--account", help="Slurm."),
    click.option("--batch", is_flag=True, help="Slurm: submit with sbatch, from a login node."),
    click.option("--namespace", help="Kubernetes."),
    click.option("--context", help="Kubernetes."),
    click.option("--image", help="Kubernetes: the container image with the benchmark and MPI."),
    kubernetes_options,
    click.option(
        "--bundle", "bundle_path", metavar="DIR", help="Where the evidence goes; default: a new directory here."
    ),
    report_option,
    format_options,
    config_option,
    click.option("--snapshot/--no-snapshot", default=True, help="Ask the nodes for their state before and after."),
    click.option(
        "--watch", is_flag=True, help="Sample the nodes meanwhile: who else uses their CPUs and GPUs, counters."
    ),
    history_option(default=True),
    click.option("--anonymize", is_flag=True, help="Replace hosts, addresses and users in the bundle."),
    click.option("--dry-run", is_flag=True, help="Print exactly what would run, and stop."),
)


def run_options(function: F) -> F:
    """All of them, in the order in which ``--help`` shows them."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function
