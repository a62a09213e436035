"""``make demo``: asks six simulated GPU nodes by the script that ``slowlink snapshot`` sends, and analyzes the answers.

The nodes are roots with kernel files and programs that print what theirs would; three of them have a fault each.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from msgspec.structs import replace

from slowlink.collectors.catalogue import chosen
from slowlink.collectors.script import compose
from slowlink.simulate.node_state.description import SimulatedNode
from slowlink.simulate.node_state.tools import write_answers, write_programs, write_root

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "demo" / "out" / "nodes"
NODES = [SimulatedNode(f"gpu0{number}", number) for number in range(1, 7)]
FAULTS = {
    "gpu02": {"acs": True},
    "gpu04": {"slow_port": 1},
    "gpu05": {"driver": "550.90.07", "governor": "powersave"},
}
UNAME = '#!/bin/sh\n[ "$1" = -n ] && exec echo {name}\nexec /bin/uname "$@"\n'


def main() -> int:
    """0 when the nodes were asked and the report is there; that something is found is what it is there for."""
    shutil.rmtree(OUT, ignore_errors=True)
    (OUT / "transcripts").mkdir(parents=True)
    described = [replace(node, **FAULTS.get(node.name, {})) for node in NODES]  # type: ignore[arg-type]
    with tempfile.TemporaryDirectory() as place, ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        for node, said in zip(described, pool.map(lambda each: ask(each, Path(place)), described), strict=True):
            (OUT / "transcripts" / f"{node.name}.txt").write_text(said, encoding="utf-8")
    command = ["analyze", "demo/out/nodes/transcripts", "--output", "demo/out/nodes/report.html"]
    print(f"\n$ slowlink {' '.join(command)}    # six simulated nodes, three with a fault\n", flush=True)
    status = subprocess.run([sys.executable, "-m", "slowlink", *command], cwd=ROOT, check=False).returncode  # noqa: S603
    print(f"\nexit status {status}; the report: demo/out/nodes/report.html", flush=True)
    return status if status > 1 else 0


def ask(node: SimulatedNode, place: Path) -> str:
    """What the node answers to the collectors."""
    home = place / node.name
    write_root(node, home / "root")
    write_answers(node, home / "answers")
    write_programs(home / "bin", str(home / "answers"))
    (home / "bin" / "uname").write_text(UNAME.format(name=node.name))
    (home / "bin" / "uname").chmod(0o755)
    script = compose(chosen((), (), fabric=False), "d3m0", limit_s=60, sample_s=1, root=str(home / "root"))
    env = {**os.environ, "PATH": f"{home / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["/bin/sh", "-s"], input=script, env=env, capture_output=True, text=True, timeout=120, check=True
    )
    return done.stdout.replace(str(home / "root"), "")  # a node's own root is /


if __name__ == "__main__":
    sys.exit(main())
