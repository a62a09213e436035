"""The batch job: its script, and the script that submits it, shows its output as it comes, and ends with its status."""

from __future__ import annotations

import shlex

from slowlink.errors import SlowlinkError
from slowlink.launch.interface import LaunchOptions
from slowlink.model.plan import NodeScripts, PlannedFile, RankJob
from slowlink.nodes import fold
from slowlink.quoting import assignments, quote

_STOP_S = 8
"""Between SIGTERM and SIGKILL of srun, which ends the ranks of all nodes."""
_SEND_S = 30
"""For one node."""
_SEND_MINUTES, _LAST_S = 3, 90
"""For all of them, behind the limit of the ranks; and how long before the end the script is told. Slurm may tell it up
to a minute earlier than it was asked to: that is not within the ranks' own time."""


def batch_files(
    job: RankJob, nodes: tuple[str, ...], unique: str, interface: str, limit_s: float, options: LaunchOptions
) -> tuple[PlannedFile, ...]:
    """``job.sh`` for sbatch, and ``submit.sh``, which is what runs here."""
    output = f"{unique}.out"
    files = (
        PlannedFile("job.sh", batch_script(job, nodes, unique, interface, limit_s, options, output), mode=0o700),
        PlannedFile("submit.sh", _submit_script(job.cwd, output, keeps=job.around is not None), mode=0o700),
    )
    if job.around is None:
        return files
    return (*files, PlannedFile("collect.sh", _collect_script(job.cwd, output, unique, job.around.mark), mode=0o700))


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
        f"--time={max(1, -(-int(limit_s) // 60)) + (_SEND_MINUTES if job.around else 0)}",
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
    if job.around is not None:
        directives.append(f"--signal=B:TERM@{_LAST_S}")
    directives += options.extra
    step = [
        *("srun", f"--ntasks={job.nranks}", *placement(job), f"--mpi={interface}"),
        *("--kill-on-bad-exit=1", "--cpu-bind=none", "--unbuffered", "--export=ALL"),
        *job.argv,
    ]
    lines = ["#!/bin/sh", *map(_directive, directives), "set -u"]
    lines += [f"export {assignment}" for assignment in assignments(job.env)]
    if job.around is not None:
        return "\n".join(lines) + "\n" + _with_files(quote(step), job.around)
    return "\n".join([*lines, f"exec {quote(step)}"]) + "\n"


def _with_files(step: str, around: NodeScripts) -> str:
    """The step, with what each node does before it and afterwards, also when the job is to end (SIGTERM)."""
    alone = "--nodes=1 --ntasks=1 --ntasks-per-node=1 --overlap --mpi=none --cpu-bind=none --export=ALL"
    return f"""\
hosts=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | tr '\\n' ' ')
on() {{
    timeout {_SEND_S} srun {alone} --nodelist="$1" sh -c "$2" </dev/null
}}
for host in $hosts; do
    on "$host" {shlex.quote(around.before)} || echo "slowlink: no place on $host for what ranks write" >&2
done
{step} &
ranks=$!
ended=
# A shell takes no signal while it waits for a program in the foreground.
trap 'ended=143; kill "$ranks" 2>/dev/null; (sleep {_STOP_S}; kill -KILL "$ranks") 2>/dev/null &' INT TERM HUP
while :; do
    wait "$ranks"
    status=$?
    kill -0 "$ranks" 2>/dev/null || break
done
trap '' INT TERM HUP
echo
echo "#slowlink-nodes {around.mark} $hosts"
for host in $hosts; do
    echo "#slowlink-node {around.mark} $host"
    on "$host" {shlex.quote(around.after)} 2>/dev/null
    echo
done
echo "#slowlink-all {around.mark}"
exit "${{ended:-$status}}"
"""


def _collect_script(directory: str | None, output: str, unique: str, mark: str) -> str:
    """Here, after the end: a job that still runs is told to end its ranks and to send what they wrote."""
    enter = f"cd {shlex.quote(directory)} || exit 0\n" if directory else ""
    return f"""\
#!/bin/sh
set -u
{enter}if [ -n "$(squeue --noheader --name={unique} --states=RUNNING 2>/dev/null)" ]; then
    scancel --batch --signal=TERM --name={unique}
    left={_LAST_S}
    while [ "$left" -gt 0 ] && [ -n "$(squeue --noheader --name={unique} --states=RUNNING 2>/dev/null)" ]; do
        left=$((left - 1))
        sleep 1
    done
    # The last lines may still be on their way through the shared file system.
    sleep 2
    sed -n '/^#slowlink-nodes {mark} /,$p' {output}
fi
rm -f {output}
"""


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


def _submit_script(directory: str | None, output: str, *, keeps: bool) -> str:
    """``keeps``: when it is interrupted, somebody else reads the output to its end and removes it."""
    leave = 'trap - EXIT; kill "$tail" 2>/dev/null; ' if keeps else ""
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
trap '{leave}exit 130' INT TERM HUP
sbatch --wait "$scratch/job.sh" >&2
status=$?
# The last lines may still be on their way through the shared file system.
sleep 2
exit "$status"
"""
