"""How long does one question to 64 hosts take, beside ``clush`` with the same one? Limit: 1.2 times its time.

    sudo python bench/fanout.py [--hosts 64] [--rounds 5]

Hosts are those of ``slowlink lab``; both run on the first of them, in changing order, in one run; the median of the
rounds is judged. Then one host in ten is killed or cut off: the question may take one time-out longer, and names them.
Exit status 1 beyond a limit, 3 where no lab can be made or there is no clush.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

from slowlink.errors import SlowlinkError
from slowlink.lab.lab import Lab
from slowlink.lab.tools import check_machine

LIMIT = 1.2
TIMEOUT_S = 12.0
"""Of a node: ssh itself gives a host that does not answer ten seconds."""
OURS = """
import json, sys, time
from slowlink.launch.fanout.ask import ask
from slowlink.launch.fanout.ways import OverSsh
from slowlink.nodes import expand
from slowlink.model.plan import Node
found = ask([Node(n) for n in expand(sys.argv[1])], "uname -r\\n", OverSsh(), timeout_s=float(sys.argv[2]))
print(json.dumps({each.node: each.trouble for each in found}))
"""


def main() -> int:
    """Measure, print, judge."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    clush = shutil.which("clush", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")
    try:
        check_machine()
    except SlowlinkError as error:
        print(f"fan-out: {error.message}")
        return 3
    if clush is None:
        print("fan-out: no clush here (pip install ClusterShell)")
        return 3
    with Lab(nodes=given.hosts) as lab:
        return _judge(lab, f"node[1-{given.hosts}]", given.rounds, clush)


def _judge(lab: Lab, nodes: str, rounds: int, clush: str) -> int:
    ours = [sys.executable, "-c", OURS, nodes, str(TIMEOUT_S)]
    theirs = [clush, "-q", "-f", "64", "-w", nodes, "uname", "-r"]
    for argv in (ours, theirs):  # host keys are learned, and caches filled
        _seconds(lab, argv)
    mine, its = [], []
    for number in range(rounds):
        if number % 2:
            its.append(_seconds(lab, theirs)[0])
        mine.append(_seconds(lab, ours)[0])
        if not number % 2:
            its.append(_seconds(lab, theirs)[0])
    ratio = median(mine) / median(its)
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    print(f"{nodes}: slowlink {median(mine):.2f} s, clush {median(its):.2f} s: {ratio:.2f} times (limit {LIMIT})")
    dead = lab.nodes[4::10]
    for place, node in enumerate(dead):
        (lab.kill if place % 2 else lab.cut)(node)
    seconds, said = _seconds(lab, ours)
    later = seconds - median(mine)
    named = {node: trouble for node, trouble in json.loads(said).items() if trouble}
    print(f"{len(dead)} of them dead: {later:.1f} s longer (limit {TIMEOUT_S:g}); named: {named}")
    return 0 if ratio <= LIMIT and later <= TIMEOUT_S and sorted(named) == sorted(dead) else 1


def _seconds(lab: Lab, argv: list[str]) -> tuple[float, str]:
    began = time.monotonic()
    done = lab.exec(lab.nodes[0], argv, timeout_s=120)
    if done.returncode:
        raise subprocess.CalledProcessError(done.returncode, argv, done.stdout, done.stderr)
    return time.monotonic() - began, done.stdout


if __name__ == "__main__":
    sys.exit(main())
