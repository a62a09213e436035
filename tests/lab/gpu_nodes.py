"""Lab hosts that look like GPU nodes: fake tools on their PATH, and a root with the kernel files of such a node."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from msgspec import Struct

from slowlink.lab.lab import Lab
from slowlink.simulate.node_state.description import SimulatedNode
from slowlink.simulate.node_state.tools import write_answers, write_programs, write_root

ROOT = "/run/gpu-node"
"""Each host's own: /run is."""


class Told(Struct, frozen=True):
    """What ``slowlink snapshot`` ended with and said."""

    status: int
    out: str
    err: str

    @property
    def report(self) -> dict[str, Any]:
        found = json.loads(self.out)
        assert isinstance(found, dict)
        return found

    @property
    def causes(self) -> dict[str, str]:
        """Of every finding, also those that explain others: cause -> message."""
        return {found["cause"]: found["message"] for found in self.report["findings"]}


class GpuNodes:
    """Hosts ``node1`` ..., each as its description says."""

    def __init__(self, lab: Lab, folder: Path) -> None:
        self.lab, self._folder = lab, folder

    def become(self, nodes: Sequence[SimulatedNode]) -> None:
        """Make each host the node of its name."""
        for node in nodes:
            write_root(node, self._folder / node.name / "root")
            write_answers(node, self._folder / node.name / "answers")

    def place(self, name: str) -> Path:
        """A path that all hosts and this machine see alike."""
        return self._folder / name

    def root(self, node: str) -> Path:
        """A host's root, as this machine sees it."""
        return self._folder / node / "root"

    def snapshot(
        self, bundle: Path, *words: str, nodes: str | None = None, env: Mapping[str, str] | None = None
    ) -> Told:
        """``slowlink snapshot`` on the first host, over ssh to all."""
        process = self.start(bundle, *words, nodes=nodes, env=env)
        out, err = process.communicate(timeout=240)
        return Told(process.returncode, out, err)

    def start(
        self, bundle: Path, *words: str, nodes: str | None = None, env: Mapping[str, str] | None = None
    ) -> subprocess.Popen[str]:
        wanted = nodes or f"node[1-{len(self.lab.nodes)}]"
        argv = [sys.executable, "-m", "slowlink", "snapshot", "--nodes", wanted, "--root", f"{ROOT}/root"]
        return self.lab.popen("node1", [*argv, "--format", "json", "-o", str(bundle), *words], env=env)


@contextmanager
def gpu_nodes(folder: Path, count: int) -> Iterator[GpuNodes]:
    """So many hosts. ``folder``: a directory of ours."""
    programs = folder / "programs"
    write_programs(programs, f"{ROOT}/answers")
    for number in range(1, count + 1):
        (folder / f"node{number}").mkdir()
    with Lab(nodes=count, share=[folder], binds={"/usr/local/bin": str(programs)}) as lab:
        for node in lab.nodes:
            lab.exec(node, ["ln", "-s", str(folder / node), ROOT])
        yield GpuNodes(lab, folder)
