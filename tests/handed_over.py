"""What a provider hands over, on disk: the snapshot of simulated nodes by the real collectors, nccl-tests inside each
node and over all of them, and ib_write_bw on each HCA. Everything is as it should be, but for what a test plants."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec.structs import replace

from simulated_nodes import on_disk
from slowlink.bundle import BundleWriter
from slowlink.collectors.catalogue import all_collectors
from slowlink.collectors.script import compose
from slowlink.model.plan import Ended
from slowlink.simulate.nccl_tests_output import Measured, Node, Run, Step, factor, render
from slowlink.simulate.node_state.description import SimulatedNode

NODES = ("gpu01", "gpu02", "gpu03")
MARK = "4b1d00aa"
INSIDE_GBS, BETWEEN_GBS, LINK_GBIT = 475.0, 385.0, 392.4
_SIZES = tuple(1 << power for power in range(28, 34))
_GPU = "NVIDIA H100 80GB HBM3"


@cache
def _transcript(node: SimulatedNode) -> str:
    """What the real collectors print on it."""
    with TemporaryDirectory() as folder:
        root, path = on_disk(node, Path(folder))
        wanted = [each for each in all_collectors() if each.when in ("always", "sampled")]
        script = compose(wanted, MARK, limit_s=300, twice=True, sample_s=0, root=root)
        done = subprocess.run(
            ["sh", "-s"], input=script, env={**os.environ, "PATH": path}, text=True, stdout=subprocess.PIPE, check=True
        )
        return re.sub(r"(?<= host )\S+", node.name, done.stdout.replace(root, ""), count=1)


def snapshot_of(place: Path, nodes: Sequence[SimulatedNode], silent: Sequence[str] = ()) -> None:
    """A bundle. ``silent``: nodes that were asked and did not answer."""
    bundle = BundleWriter(place, command=["slowlink", "snapshot"], clock=lambda: 1795000000.0)
    bundle.set_nodes([*(node.name for node in nodes), *silent])
    for node in nodes:
        with bundle.capture(f"state/{node.name}", "state", ["ssh", node.name, "sh", "-s"], node=node.name) as capture:
            capture.write_stdout(_transcript(node))
            capture.end(Ended(status=0, signal=None, reason="exited", started_at=1795000000.0, seconds=1.0))
    for name in silent:
        with bundle.capture(f"state/{name}", "state", ["ssh", name, "sh", "-s"], node=name) as capture:
            head = f"#slowlink-transcript 1 {MARK} host {name} at 1795000000.000"
            lost = f"#slowlink-frame {MARK} lost node at 1795000001.000: no route to it"
            capture.write_stdout(f"{head}\n{lost}\n")
            ended = Ended(255, None, "unanswered", 1795000000.0, 1.0, "no route to it", (name,))
            capture.end(ended)
    bundle.finish()


def nccl_tests(nodes: Sequence[str], gbs: float, gpus: int = 8) -> str:
    """all_reduce over so many GPUs of each of these nodes."""
    share = factor("all_reduce", gpus * len(nodes))
    measured = {size: Measured((size + (8 << 20)) * share / (gbs * 1e3)) for size in _SIZES}
    steps = tuple(Step(size, each, each) for size, each in measured.items())
    run = Run("all_reduce", tuple(Node(name, 4000, gpus) for name in nodes), steps, gpu=_GPU)
    return "\n".join(render(run, "2.17.9")) + "\n"


def perftest(node: str, hca: str, gbit: float) -> str:
    """ib_write_bw -a, after the prompt that it was typed at."""
    ruler = "-" * 87
    rows = [
        f" {2 << power:<10} 5000             {gbit + 0.2:.2f}             {gbit:.2f}              0.186932"
        for power in range(15, 23)
    ]
    lines = [
        f"root@{node}:~# ib_write_bw -d {hca} -a --report_gbits gpu99",
        ruler,
        "                    RDMA_Write BW Test",
        f" Dual-port       : OFF\t\tDevice         : {hca}",
        " Number of qps   : 1\t\tTransport type : IB",
        " Connection type : RC\t\tUsing SRQ      : OFF",
        " Mtu             : 4096[B]",
        " Link type       : IB",
        " rdma_cm QPs\t : OFF",
        " Data ex. method : Ethernet",
        ruler,
        " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]",
        *rows,
        ruler,
    ]
    return "\n".join(lines) + "\n"


def handed_over(
    place: Path,
    *,
    nodes: Sequence[str] = NODES,
    sick: Mapping[str, SimulatedNode] = {},
    silent: Sequence[str] = (),
    inside: Mapping[str, float | None] = {},
    between: float | None = BETWEEN_GBS,
    links: Mapping[tuple[str, str], float | None] = {},
) -> Path:
    """``sick``: nodes that are otherwise. ``inside``, ``links``: what they give; None: not measured."""
    place.mkdir(parents=True)
    asked = [
        replace(sick.get(name, SimulatedNode("gpu00", gpus=8, cpus=16)), name=name, number=0xABC0 + number)
        for number, name in enumerate(nodes)
        if name not in silent
    ]
    snapshot_of(place / "snapshot", asked, silent)
    told = [name for name in nodes if name not in silent]
    for name in told:
        if (gbs := inside.get(name, INSIDE_GBS)) is not None:
            (place / f"all_reduce-{name}.log").write_text(nccl_tests([name], gbs))
        for number in range(8):
            hca = f"mlx5_{number}"
            if (gbit := links.get((name, hca), LINK_GBIT)) is not None:
                (place / f"ib_write_bw-{name}-{hca}.log").write_text(perftest(name, hca, gbit))
    if between is not None and len(told) > 1:
        (place / "all_reduce-all.log").write_text(nccl_tests(told, between))
    return place
