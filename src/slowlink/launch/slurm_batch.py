"""The batch job: its script, and the script that submits it, shows its output as it comes, and ends with its status."""

from __future__ import annotations

import shlex

from slowlink.errors import SlowlinkError
from slowlink.launch.interface import LaunchOptions
from slowlink.model.plan import PlannedFile, RankJob
from slowlink.nodes import fold
from slowlink.quoting import assignments, quote


def batch_files(
    job: RankJob, nodes: tuple[str, ...], unique: str, interface: str, limit_s: float, options: LaunchOptions
) -> tuple[PlannedFile, ...]:
    """``job.sh`` for sbatch, and ``submit.sh``, which is what runs here."""
    output = f"{unique}.out"
    return (
        PlannedFile("job.sh", batch_script(job, nodes, unique, interface, limit_s, options, output), mode=0o700),
        PlannedFile("submit.sh", _submit_script(job.cwd, output), mode=0o700),
    )


def batch_script(
    job: RankJob,
    nodes: tuple[str, ...],
    unique: str,
    interface: str,
    limit_s: float,
    options: LaunchOptions,
    output: str,
) -> str:
    """The script that Slurm runs; complete in itself, so it can also be printed and kept."""
    directives = [
        f"--job-name={unique}",
        f"--nodes={-(-job.nranks // job.ranks_per_node)}",
        # Room for a full last node: Slurm lays out a number that does not divide only where it has the room.
        f"--ntasks-per-node={job.ranks_per_node}",
        f"--time={max(1, -(-int(limit_s) // 60))}",
        f"--output={output}",
        # Standard output of the step goes there line by line; one file, appended by one writer.
        "--open-mode=append",
        "--no-requeue",
    ]
    directives += [f"--nodelist={fold(nodes)}"] if nodes else []
    directives += [f"--gpus-per-node={job.gpus_per_node}"] if job.gpus_per_node else []
    directives += [f"--partition={options.partition}"] if options.partition else []
    directives += [f"--account={options.account}"] if options.account else []
    directives += [f"--chdir={job.cwd}"] if job.cwd else []
    directives += options.extra
    step = [
        *("srun", f"--ntasks={job.nranks}", *placement(job), f"--mpi={interface}"),
        *("--kill-on-bad-exit=1", "--cpu-bind=none", "--unbuffered", "--export=ALL"),
        *job.argv,
    ]
    lines = ["#!/bin/sh", *map(_directive, directives), "set -u"]
    lines += [f"export {assignment}" for assignment in assignments(job.env)]
    return "\n".join([*lines, f"exec {quote(step)}"]) + "\n"


def placement(job: RankJob) -> tuple[str, ...]:
    """Flags of srun that fill nodes one after another, ``ranks_per_node`` on each and what is left on the last."""
    if job.nranks % job.ranks_per_node:
        return (f"--distribution=plane={job.ranks_per_node}",)
    return (f"--ntasks-per-node={job.ranks_per_node}", "--distribution=block")


def _directive(text: str) -> str:
    """sbatch takes quotes in directives, but a line that ends early would become a command."""
    if not text.isprintable():
        raise SlowlinkError(
            f"Slurm cannot be given {text[:80]!r}", hint="names and paths without control characters", slug="bad-name"
        )
    return f"#SBATCH {quote([text])}"


def _submit_script(directory: str | None, output: str) -> str:
    enter = f"cd {shlex.quote(directory)} || exit 3\n" if directory else ""
    return f"""\
#!/bin/sh
# Submits the job, shows its output as it comes, and ends with its exit status.
set -u
scratch=$(cd "$(dirname "$0")" && pwd)
{enter}: >{output} || {{ echo "cannot write $PWD/{output}" >&2; exit 3; }}
tail -n +1 -F {output} 2>/dev/null &
tail=$!
trap 'kill "$tail" 2>/dev/null; rm -f {output}' EXIT
trap 'exit 130' INT TERM HUP
sbatch --wait "$scratch/job.sh" >&2
status=$?
# The last lines may still be on their way through the shared file system.
sleep 2
exit "$status"
"""
