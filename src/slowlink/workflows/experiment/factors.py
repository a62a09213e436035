"""What is switched on around a launch: a load on chosen nodes, or commands of the user. It ends whatever happens."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from msgspec import Struct

from slowlink.launch.fanout.held import Held, HeldEnd
from slowlink.launch.fanout.ways import Here
from slowlink.loads import load_script, processor_seconds, ready_line, switch_script
from slowlink.model.experiment import Trial
from slowlink.model.plan import Ended, Node

if TYPE_CHECKING:
    from slowlink.bundle import BundleWriter
    from slowlink.launch.fanout.ways import Way
    from slowlink.workflows.experiment.launching import Around, Factor

_READY_S = 30.0
_END_S = 10.0
_FIRST_PORT, _PORTS = 20_000, 10_000


class Load(Struct, frozen=True):
    """A load on some nodes."""

    name: str
    amount: str
    nodes: tuple[Node, ...]
    others: tuple[Node, ...]
    """Nodes of the run without it: a network load has its far end on the first of them, where there is one."""
    way: Way
    longest_s: float
    python: str


class Switch(Struct, frozen=True):
    """Two commands, run on this machine."""

    on: tuple[str, ...]
    off: tuple[str, ...]
    patience_s: float


class _Scripts(Struct, frozen=True):
    """Nodes and their scripts, for one launch."""

    nodes: tuple[Node, ...]
    script: Callable[[int], str]
    way: Way
    patience_s: float
    grace_s: float


def around_load(load: Load, change: str, bundle: BundleWriter) -> Around:
    """The load is at work while a trial with ``change`` runs."""
    mark = f"#slowlink-{os.urandom(8).hex()}"
    held = _held_load(load, mark)
    return lambda trial: _around(held, mark, "load", bundle, trial, on=change in trial.on)


def around_switch(switch: Switch, change: str, bundle: BundleWriter) -> Around:
    """``switch.on`` before a trial with ``change``, ``switch.off`` after it, also when slowlink is killed."""
    mark = f"#slowlink-{os.urandom(8).hex()}"
    node = Node(os.uname().nodename)
    held = _Scripts(
        (node,), lambda _: switch_script(switch.on, switch.off, mark), Here(), switch.patience_s, switch.patience_s
    )
    return lambda trial: _around(held, mark, "switch", bundle, trial, on=change in trial.on)


class _Working:
    """A factor that is switched on."""

    def __init__(self, held: Held, troubles: Mapping[str, str], what: str) -> None:
        self._held, self._troubles, self._what = held, troubles, what

    def trouble(self) -> str:
        troubles = self._troubles or self._held.ended_early()
        return "; ".join(f"the {self._what} on {node}: {why}" for node, why in troubles.items())


class _Idle:
    def trouble(self) -> str:
        return ""


@contextmanager
def _around(held: _Scripts, mark: str, what: str, bundle: BundleWriter, trial: Trial, *, on: bool) -> Iterator[Factor]:
    if not on:
        yield _Idle()
        return
    working = Held(held.nodes, held.script, held.way, ready_line(mark))
    try:
        yield _Working(working, working.start(held.patience_s), what)
    finally:
        ends = working.stop(held.grace_s)
        for end in ends:
            _keep(bundle, f"{what}-{trial.number}/{end.node}", end, mark)


def _keep(bundle: BundleWriter, name: str, end: HeldEnd, mark: str) -> None:
    """What a load or a command printed, and what it took: evidence that it was there."""
    with bundle.capture(name, "load", (), node=end.node) as capture:
        if end.stdout:
            capture.write_stdout(end.stdout)
        if end.stderr:
            capture.write_stderr(end.stderr)
        taken = processor_seconds(end.stdout, mark)
        detail = "" if taken is None else f"{taken:.1f} s of processors in {end.seconds:.1f} s"
        capture.end(
            Ended(end.status, None, "exited" if end.ready else "not-started", end.started_at, end.seconds, detail)
        )


def _held_load(load: Load, mark: str) -> _Scripts:
    nodes, port = load.nodes, str(_FIRST_PORT + int.from_bytes(os.urandom(4), "big") % _PORTS)
    if load.name == "network":
        return _held_network(load, mark, port)

    def script(_: int) -> str:
        return load_script(load.name, load.amount, mark, load.longest_s, {})

    return _Scripts(nodes, script, load.way, _READY_S, _END_S)


def _held_network(load: Load, mark: str, port: str) -> _Scripts:
    """Loaded nodes send around a ring; one alone sends to a node without the load, or to itself."""
    far = load.others[:1] if len(load.nodes) == 1 else ()
    nodes = (*load.nodes, *far)
    to = _after(nodes)

    def script(place: int) -> str:
        node = nodes[place]
        sends = place < len(load.nodes)
        receives = any(to[sender.name] is node for sender in load.nodes)
        peer = to[node.name]
        settings = {
            "PYTHON": load.python,
            "PORT": port,
            "PEER": (peer.address or peer.name) if sends else "",
            "RECEIVES": "1" if receives else "",
        }
        return load_script(load.name, load.amount, mark, load.longest_s, settings)

    return _Scripts(nodes, script, load.way, _READY_S, _END_S)


def _after(nodes: Sequence[Node]) -> dict[str, Node]:
    """Each node's next one, around."""
    return {node.name: nodes[(place + 1) % len(nodes)] for place, node in enumerate(nodes)}
