"""A lab for tests: hosts on this machine, made from namespaces, with faults that can be set and taken back."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO

from slowlink.errors import SlowlinkError
from slowlink.lab import faults, process
from slowlink.lab.host import await_child
from slowlink.lab.inside import command_on, running
from slowlink.lab.make import down, up
from slowlink.lab.state import State, get


class Lab:
    """A lab for tests: ``with Lab(nodes=4) as lab: lab.exec("node1", ["hostname"])``."""

    def __init__(
        self,
        nodes: int = 4,
        name: str | None = None,
        share: Iterable[str | Path] = (),
        binds: Mapping[str, str] | None = None,
    ) -> None:
        self.name = name or f"lab-{os.getpid()}-{id(self) % 0xFFFFFF:x}"
        self._nodes, self._share, self._binds = nodes, tuple(share), binds
        self._started: list[subprocess.Popen[str]] = []

    def __enter__(self) -> Lab:
        up(self.name, self._nodes, self._share, self._binds, bound=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.down()

    def down(self) -> None:
        """Takes the lab down; what was started on its hosts ends with them."""
        down(self.name)
        for started in self._started:
            self.end(started)

    @property
    def nodes(self) -> list[str]:
        """Names of the hosts."""
        return [host.name for host in self.state.hosts]

    @property
    def state(self) -> State:
        return get(self.name)

    def exec(
        self, node: str, argv: Sequence[str], timeout_s: float = 60, env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Runs a program on a host to its end. Raises subprocess.TimeoutExpired after it was ended."""
        started = self.popen(node, argv, env=env)
        try:
            out, err = started.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            self.end(started)
            raise
        return subprocess.CompletedProcess(list(argv), started.returncode, out, err)

    def popen(
        self,
        node: str,
        argv: Sequence[str],
        stdout: IO[str] | int = subprocess.PIPE,
        env: Mapping[str, str] | None = None,
    ) -> subprocess.Popen[str]:
        """Starts a program on a host. The Popen is nsenter's, which waits for it: ``pid_of`` tells whom to signal."""
        command, environment = command_on(self.name, node, argv)
        started = subprocess.Popen(  # noqa: S603
            command,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env={**environment, **(env or {})},
        )
        self._started.append(started)
        return started

    def pid_of(self, started: subprocess.Popen[str]) -> int:
        """Pid, on this machine, of the program itself."""
        inner = await_child(started.pid)
        if inner is None:
            raise SlowlinkError(f"process {started.pid} started nothing", slug="lab-start")
        return inner.pid

    def end(self, started: subprocess.Popen[str]) -> None:
        """Kills a program that ``popen`` started; what it started itself may live on."""
        if started.poll() is None:
            inner = await_child(started.pid)
            process.end([inner] if inner else [])
        started.wait(timeout=10)
        for pipe in (started.stdout, started.stderr):
            if pipe is not None:
                pipe.close()

    def sweep(self) -> None:
        """Kills whatever runs on the hosts."""
        for node in self.nodes:
            found = [process.identify(one.pid) for one in self.processes(node)]
            process.end([one for one in found if one])

    def processes(self, node: str) -> list[process.Running]:
        """What runs on a host besides its process 1: after a run, nothing."""
        return running(self.name, node)

    def left(self, patience_s: float = 5) -> dict[str, list[process.Running]]:
        """What still runs on each host once ``patience_s`` have passed; empty as soon as nothing runs anywhere."""
        deadline = time.monotonic() + patience_s
        while True:
            found = {node: running for node in self.nodes if (running := self.processes(node))}
            if not found or time.monotonic() > deadline:
                return found
            time.sleep(0.02)

    def slow(self, node: str, rate: str | None) -> None:
        faults.slow(self.name, node, rate)

    def cut(self, node: str) -> None:
        faults.cut(self.name, node)

    def join(self, node: str) -> None:
        faults.join(self.name, node)

    def kill(self, node: str) -> None:
        faults.kill(self.name, node)

    def load(self, node: str, cpus: int) -> None:
        faults.set_load(self.name, node, cpus)
