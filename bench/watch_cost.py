"""What does watching a node cost it? Processor time of the sampler, against the time that it watched.

    python bench/watch_cost.py [--seconds 10]

The share of one core is the figure that matters to the ranks, and hardly depends on what else the machine does; it
grows with the number of processes, which is printed. Limit: 2 % of one core, as for the probe.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
from pathlib import Path

from slowlink.samplers import Sampling, watch_script

LIMIT = 0.02


def main() -> int:
    """Measure, print, judge."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10)
    seconds = parser.parse_args().seconds
    script = watch_script(Sampling("bench", longest_s=seconds))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(["sh", "-s"], input=script, capture_output=True, text=True, timeout=seconds + 60, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    times = [float(line.split()[1]) for line in done.stdout.splitlines() if line.startswith("slowlink-sample")]
    watched = times[-1] - times[0]
    processes = sum(1 for entry in Path("/proc").iterdir() if entry.name.isdigit())
    share = used / watched
    print(f"watch: {len(times)} samples of {processes} processes in {watched:.1f} s: {used:.2f} s of processor time")
    print(f"{share:.2%} of one core, limit {LIMIT:.0%}")
    return 0 if share <= LIMIT else 1


if __name__ == "__main__":
    raise SystemExit(main())
