"""Runs one plan for real: run_plan.py LAUNCHER NODES RANKS PER_NODE SCRATCH MPIRUN ARGV... ("-": found here).

RUN_PLAN_FILES: a directory of each node, whose files come home behind the output.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path
from typing import TextIO

from msgspec.structs import replace

from slowlink.launch.choose import launchers
from slowlink.launch.execute import capture, execute
from slowlink.launch.interface import LaunchOptions
from slowlink.launch.node_lists import from_node_set
from slowlink.launch.surroundings import collect, mpi_title
from slowlink.model.plan import Allocation, RankJob
from slowlink.workflows.rank_files.in_output import scripts_around


def _pass_on(stream: TextIO, output: bytes) -> None:
    stream.buffer.write(output)
    stream.flush()


def main() -> int:
    launcher, node_set, nranks, per_node, scratch, mpirun, *argv = sys.argv[1:]
    here = collect()
    if mpirun == "mpich":
        # Only which interface Slurm is to use: the ranks of these tests are no MPI programs.
        here = replace(here, mpi="mpich 4")
    elif mpirun != "-":
        title = mpi_title(capture((mpirun, "--version"), 10).stdout)
        programs = {name: path for name, path in here.programs.items() if not name.startswith("mpi")}
        here = replace(here, programs={**programs, "mpirun": mpirun}, mpi=title)
    env = {"SPECIAL": "two words; 'and' $HOME", "OMPI_MCA_mpi_yield_when_idle": "1"}
    job = RankJob(tuple(argv), int(nranks), int(per_node), env, timeout_s=60, cwd=str(Path(scratch).parent))
    if place := os.environ.get("RUN_PLAN_FILES"):
        job = replace(job, around=scripts_around(Path(place), (), int(nranks), "5e2f"))
    chosen = launchers()[launcher]
    allocation = from_node_set(node_set) if node_set != "-" else chosen.allocation(here)
    plan = chosen.plan(job, allocation or Allocation((), "none"), here, LaunchOptions())
    ended = execute(plan, Path(scratch), partial(_pass_on, sys.stdout), partial(_pass_on, sys.stderr))
    print(f"ended {ended.reason} {ended.status}", file=sys.stderr)
    return 0 if ended.reason == "exited" and ended.status == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
