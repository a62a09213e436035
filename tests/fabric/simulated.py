"""A simulated InfiniBand fabric: ibsim answers management packets, OpenSM configures it, the real tools ask it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from slowlink.collectors.catalogue import all_collectors
from slowlink.collectors.script import compose

LEAVES, SPINES, HOSTS_A_LEAF, UPLINKS = 4, 2, 4, 2
"""Uplinks: from each leaf to each spine."""
MANAGER, ASKED = "node15", "node00"
PROGRAMS = (
    *("ibsim", "opensm", "iblinkinfo", "ibqueryerrors", "sminfo", "saquery", "ibnetdiscover", "perfquery"),
    "ibportstate",
)
_PATH = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
_LIBRARIES = ("/usr/lib", "/usr/lib64")


def missing() -> str:
    """Why no fabric can be simulated here; "" when one can."""
    absent = [name for name in PROGRAMS if shutil.which(name, path=_PATH) is None]
    if absent:
        return f"no {', '.join(absent)} here (packages ibsim-utils, infiniband-diags, opensm)"
    return "" if preload() else "ibsim's libumad2sim.so is not here"


def preload() -> Path | None:
    """The library that leads a tool's management packets to ibsim."""
    found = (path for place in _LIBRARIES for path in Path(place).glob("**/libumad2sim.so"))
    return next(found, None)


def topology(rates: Mapping[tuple[str, int], str] | None = None) -> str:
    """A fat tree in ibnetdiscover's words. ``rates``: width and speed of the link at a leaf's port, ``4xHDR`` else."""
    rates = rates or {}
    links: dict[str, list[tuple[int, str, int, str]]] = {}

    def join(one: str, port: int, other: str, far: int) -> None:
        rate = rates.get((one, port), "4xHDR")
        links.setdefault(one, []).append((port, other, far, rate))
        links.setdefault(other, []).append((far, one, port, rate))

    for leaf in range(LEAVES):
        for host in range(HOSTS_A_LEAF):
            join(f"leaf{leaf}", host + 1, f"node{leaf * HOSTS_A_LEAF + host:02}", 1)
        for up in range(SPINES * UPLINKS):
            join(f"leaf{leaf}", HOSTS_A_LEAF + 1 + up, f"spine{up // UPLINKS}", leaf * UPLINKS + up % UPLINKS + 1)
    blocks = []
    for node, ends in links.items():
        head = f'Hca\t1 "{node}"' if node.startswith("node") else f'Switch\t40 "{node}"'
        rows = [f'[{port}]\t"{other}"[{far}]\t\t# "{other}" lid 0 {rate}' for port, other, far, rate in ends]
        blocks.append("\n".join([head, *rows, ""]))
    return "\n".join(blocks)


_UNANSWERED = re.compile(r"^#slowlink-frame \S+ end \S+ (?!ran at \S+ status 0$)", re.MULTILINE)
"""A frame whose tool ended badly."""


@dataclass
class Fabric:
    """A running simulation."""

    folder: Path
    environment: dict[str, str]
    simulator: subprocess.Popen[str]
    manager: subprocess.Popen[bytes] | None = None
    wrappers: Path = field(init=False)

    def __post_init__(self) -> None:
        self.wrappers = self.folder / "bin"
        self.wrappers.mkdir()
        for name in PROGRAMS[1:]:
            real = shutil.which(name, path=_PATH)
            script = self.wrappers / name
            script.write_text(f'#!/bin/sh\ncd {self.folder}\nLD_PRELOAD={preload()} exec {real} "$@"\n')
            script.chmod(0o755)

    def command(self, *lines: str) -> None:
        """Tell ibsim's console something: ``PerformanceSet "node03"[1] PortCounters.SymbolErrorCounter=5``."""
        assert self.simulator.stdin is not None
        for line in lines:
            self.simulator.stdin.write(line + "\n")
        self.simulator.stdin.flush()
        time.sleep(0.3)

    def ask(self, *argv: str, host: str = ASKED) -> str:
        """What a tool prints on a host."""
        done = subprocess.run(
            argv, capture_output=True, text=True, timeout=60, env={**self.environment, "SIM_HOST": host}, check=False
        )
        return done.stdout

    def collect(self) -> str:
        """The transcript of all collectors of the fabric, as ``slowlink snapshot`` runs them on one node."""
        script = compose([each for each in all_collectors() if each.when == "fabric"], "7d31c0a9e2", limit_s=120)
        text = self.ask("sh", "-c", script)
        for _ in range(2):  # ibsim on a busy machine lets a packet fall: no fault that a test planted
            if self.manager is None or not _UNANSWERED.search(text):
                break
            text = self.ask("sh", "-c", script)
        return text

    def manage(self) -> None:
        """Start the subnet manager, and wait until it has configured the subnet."""
        log = self.folder / "opensm.log"
        argv = [str(self.wrappers / "opensm"), "-f", str(log), "-R", "updn"]
        here = {**self.environment, "SIM_HOST": MANAGER, "OSM_TMP_DIR": str(self.folder)}
        here["OSM_CACHE_DIR"] = str(self.folder)
        self.manager = subprocess.Popen(argv, env=here, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 60
        while "Active/" not in (links := self.ask("iblinkinfo")) or "Init" in links or "Armed" in links:
            assert self.manager.poll() is None, "OpenSM ended"
            assert time.monotonic() < end, "OpenSM did not bring the subnet up"
            time.sleep(0.2)


@contextmanager
def simulated(folder: Path, text: str, managed: bool = True) -> Iterator[Fabric]:
    """A fabric of this topology, with a subnet manager; both end with the block."""
    net = folder / "fabric.net"
    net.write_text(text)
    environment = {
        "PATH": f"{folder / 'bin'}:{_PATH}",
        "IBSIM_SOCKNAME": f"slowlink-{os.getpid()}-{folder.name}",
        "LC_ALL": "C",
    }
    simulator = subprocess.Popen(
        ["ibsim", "-s", str(net)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=folder,
        env=environment,
    )
    fabric = Fabric(folder, environment, simulator)
    try:
        _listens(environment["IBSIM_SOCKNAME"], simulator)
        if managed:
            fabric.manage()
        yield fabric
    finally:
        for process in (fabric.manager, simulator):
            if process is not None:
                process.kill()
                process.wait(10)


def _listens(socket: str, simulator: subprocess.Popen[str]) -> None:
    """Wait until ibsim takes clients."""
    end = time.monotonic() + 30
    while socket not in Path("/proc/net/unix").read_text():
        assert simulator.poll() is None, "ibsim ended"
        assert time.monotonic() < end, "ibsim does not listen"
        time.sleep(0.05)
