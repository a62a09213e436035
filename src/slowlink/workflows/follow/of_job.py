"""Where the ranks of a Slurm job write what their profiler times: asked of Slurm, and of the job itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from slowlink.errors import SlowlinkError
from slowlink.launch.execute import capture
from slowlink.patterns import regex

_JOB = regex(r"[0-9]{1,10}(?:_[0-9]{1,10}|[+][0-9]{1,4})?")
"""A job, one of an array, or a part of a heterogeneous one."""
_WORK_DIR = regex(r"(?:^|\s)WorkDir=(\S[^\n]*?)(?= \w+=|\n|$)")
_STATE = regex(r"(?:^|\s)JobState=(\S+)")
_NUMBER = regex(r"(?:^|\s)JobId=(\d+)")
_PATIENCE_S = 60.0
_LONGEST = 4096
_SAID = "slowlink-dump "
# Ranks know where they write; one node tells for all. Only what belongs to this very job is asked.
_ASK = f"""\
for each in /proc/[0-9]*/environ; do
  tr '\\0' '\\n' <"$each" 2>/dev/null | grep -qx "SLURM_JOB_ID=$SLURM_JOB_ID" || continue
  there=$(readlink "${{each%/environ}}/cwd") || continue
  tr '\\0' '\\n' <"$each" 2>/dev/null | grep -E '^(NCCL_INSPECTOR_DUMP_DIR|ACCL_PROFILER_OUTPUT_DIR)=.' |
    while IFS= read -r line; do printf '{_SAID}%s\\t%s\\n' "${{line#*=}}" "$there"; done
done | sort -u"""


def is_job(word: str) -> bool:
    """Could it be one of Slurm's?"""
    return _JOB.fullmatch(word) is not None


def directory_of(job: str, programs: Mapping[str, str]) -> tuple[Path, str]:
    """The directory, and why this one. Raises SlowlinkError (``usage``): no Slurm, no such job, no such directory."""
    scontrol = programs.get("scontrol")
    if scontrol is None:
        raise SlowlinkError(
            f"{job} is no directory, and there is no Slurm here to know a job of that number",
            hint="name the directory that the ranks write to",
            slug="usage",
        )
    told = capture((scontrol, "--oneliner", "show", "job", job), _PATIENCE_S)
    number, state, work = (pattern.search(told.stdout) for pattern in (_NUMBER, _STATE, _WORK_DIR))
    if told.status != 0 or number is None or work is None:
        said = (told.stderr.strip().splitlines() or ["no answer"])[-1]
        raise SlowlinkError(f"Slurm does not tell of job {job}: {said[:200]}", hint="squeue --me", slug="usage")
    usual = Path(work[1]) / f"nccl-inspector-{number[1]}"
    if usual.is_dir():
        return usual, f"where the Inspector of job {number[1]} writes that is told nothing else"
    for place in _told_by_ranks(number[1], programs):
        if place.is_dir():
            return place, f"as the ranks of job {number[1]} were told"
    raise SlowlinkError(
        f"job {number[1]} ({state[1] if state else 'in no known state'}) writes no times that are seen here",
        hint=f"neither {usual} nor what NCCL_INSPECTOR_DUMP_DIR or ACCL_PROFILER_OUTPUT_DIR of its ranks name is a "
        "directory of this machine: name it, or start the job with a profiler (docs/inside-the-job.md)",
        slug="usage",
    )


def _told_by_ranks(job: str, programs: Mapping[str, str]) -> Iterator[Path]:
    srun = programs.get("srun")
    if srun is None:
        return
    beside = ("--overlap", "--nodes=1", "--ntasks=1", "--mem=0", "--cpu-bind=none", "--mpi=none", "--immediate=30")
    argv = (srun, f"--jobid={job}", "--job-name=slowlink", *beside, "--quiet", "--export=PATH", "sh", "-c", _ASK)
    for line in capture(argv, _PATIENCE_S).stdout.splitlines():
        if line.startswith(_SAID) and len(line) < _LONGEST:
            place, _, there = line.removeprefix(_SAID).partition("\t")
            yield Path(there) / place
