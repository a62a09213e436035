"""Measure: launch a plan into a bundle, and analyze the bundle. There is no second path for live data."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct, field
from msgspec.structs import replace

from slowlink.bundle import BundleWriter, CaptureWriter
from slowlink.errors import SlowlinkError
from slowlink.launch.backlog import Backlog, without
from slowlink.launch.execute import execute
from slowlink.launch.refusals import refusal
from slowlink.launch.watchdog import answers
from slowlink.model.plan import Ended, Node, Plan
from slowlink.workflows.live import LiveRow, LiveTable
from slowlink.workflows.plan_run import Prepared

if TYPE_CHECKING:
    from slowlink.model.facts import Hardware
    from slowlink.model.report import Report
    from slowlink.workflows.rank_files.interface import RankFiles

_KINDS = {"nvbandwidth": "nvbandwidth", "perftest": "perftest"}
_MOST_COMPLAINTS = 1 << 16
"""The end of what is printed on either stream is kept, bytes."""
_HEADER = b"busbw"
"""Stands above every table: the ranks had begun."""
_FOOTERS = (b"# Out of bounds values", b"# Avg bus bandwidth")
"""A table with one of these came to its end."""
_LOST_ATTEMPTS = 3
"""How often nodes are asked after a run that stopped early, a little later each time."""


class Watcher(Protocol):
    """Is told what happens while it happens."""

    def launched(self, number: int, total: int) -> None:
        """A launch begins; ``number`` counts from 1."""

    def row(self, number: int, row: LiveRow) -> None:
        """A row of launch ``number`` is there."""

    def ended(self, number: int, ended: Ended) -> None:
        """A launch is over."""


class Limits(Struct, frozen=True):
    """When a run is given up."""

    timeout_s: float | None
    silent_after_s: float | None


class Launch(Struct, frozen=True):
    """One launch: its name in the bundle and its end."""

    name: str
    ended: Ended
    missing: Mapping[str, str] = field(default_factory=dict)
    """Node -> why what its ranks wrote is not, or not all, in the bundle."""


def measure(
    prepared: Prepared,
    bundle: BundleWriter,
    workplace: Path,
    *,
    repeat: int,
    limits: Limits,
    watcher: Watcher,
    files: RankFiles | None = None,
    around: Sequence[AbstractContextManager[object]] = (),
) -> tuple[Launch, ...]:
    """Launch ``repeat`` times, one after another, into ``bundle``; one that was interrupted or fell silent is the last.

    ``files``: what ranks write beside what they print. ``around`` are entered around all launches: what asks the
    nodes before and after, what watches them meanwhile.

    ``workplace``: a directory of ours for scratch files. Raises SlowlinkError when the bundle cannot be written;
    nothing runs any more then.
    """
    bundle.set_plan(prepared.plan)
    try:
        with ExitStack() as stack:
            for each in around:
                stack.enter_context(each)
            launches = _launches(prepared, bundle, workplace, repeat, limits, watcher, files)
    finally:
        if files is not None:
            files.remove()
    bundle.finish()
    return tuple(launches)


def _launches(
    prepared: Prepared,
    bundle: BundleWriter,
    workplace: Path,
    repeat: int,
    limits: Limits,
    watcher: Watcher,
    files: RankFiles | None,
) -> list[Launch]:
    launches: list[Launch] = []
    for number in range(1, repeat + 1):
        watcher.launched(number, repeat)
        missing = files.make() if files is not None else {}
        with bundle.capture(
            f"run-{number}",
            _KINDS.get(prepared.benchmark, "collective"),
            prepared.plan.argv,
            env={**os.environ, **prepared.job.env},
        ) as capture:
            ended = _launch(prepared, capture, workplace / f"scratch-{number}", limits, watcher, number)
            if files is not None:
                missing |= files.take(capture, bundle, number)
            capture.end(ended)
        launches.append(Launch(capture.name, ended, missing))
        watcher.ended(number, ended)
        if ended.reason in ("interrupted", "silent", "not-started"):
            break
    return launches


def _launch(
    prepared: Prepared, capture: CaptureWriter, scratch: Path, limits: Limits, watcher: Watcher, number: int
) -> Ended:
    table = LiveTable()
    stdout = capture.file("stdout")
    stderr = capture.file("stderr")

    printed = bytearray()

    def on_stdout(chunk: bytes) -> None:
        stdout.write_bytes(chunk)
        printed.extend(chunk)
        del printed[:-_MOST_COMPLAINTS]
        for row in table.feed(chunk):
            watcher.row(number, row)

    complaints = bytearray()

    def on_stderr(chunk: bytes) -> None:
        stderr.write_bytes(chunk)
        complaints.extend(chunk)
        del complaints[:-_MOST_COMPLAINTS]

    with Backlog() as backlog:
        ended = execute(
            prepared.plan,
            scratch,
            backlog.sink(on_stdout),
            backlog.sink(on_stderr),
            timeout_s=limits.timeout_s,
            silent_after_s=limits.silent_after_s,
            is_alive=_probe(prepared.allocation.nodes),
            on_start=table.load,
            workplace=scratch.parent,
        )
    cut_short = _HEADER in printed and not any(mark in printed for mark in _FOOTERS)
    ended = _with_ranks(_with_lost_nodes(ended, prepared) if cut_short else ended, prepared)
    return without(_explained(ended, complaints.decode("utf-8", "replace")), backlog.lost)


def _with_lost_nodes(ended: Ended, prepared: Prepared) -> Ended:
    """A run that stopped early: which nodes are gone? mpirun may end without a word, even with status 0.

    Asked over ssh alone: there every node answered when its ranks were started, so silence now is news.
    """
    if ended.reason != "exited" or prepared.plan.launcher != "ssh" or len(prepared.plan.nodes) < 2:
        return ended
    from concurrent.futures import ThreadPoolExecutor

    is_alive = _probe(prepared.allocation.nodes)
    lost: tuple[str, ...] = ()
    with ThreadPoolExecutor(max_workers=32) as pool:
        for attempt in range(_LOST_ATTEMPTS):
            # A host that is going down may take connections for a moment yet.
            time.sleep(attempt)
            alive = list(pool.map(is_alive, prepared.plan.nodes))
            lost = tuple(name for name, answered in zip(prepared.plan.nodes, alive, strict=True) if not answered)
            if lost:
                break
    if not lost or len(lost) == len(prepared.plan.nodes):
        return ended
    return replace(ended, reason="silent", nodes=lost, detail=f"{', '.join(lost)} no longer answers")


def _explained(ended: Ended, complaints: str) -> Ended:
    """Say what the launcher's own words mean, where it refused to start and we know them."""
    known = refusal(complaints) if ended.status and not ended.detail else None
    if known is None:
        return ended
    return replace(ended, detail=f"{known.message}; {known.hint}" if known.hint else known.message)


def _probe(nodes: tuple[Node, ...]) -> Callable[[str], bool]:
    by_name = {node.name: node for node in nodes}

    def is_alive(name: str) -> bool:
        node = by_name.get(name)
        if node is None:
            return answers(name)
        return answers(node.address or node.name, node.port or 22)

    return is_alive


def _with_ranks(ended: Ended, prepared: Prepared) -> Ended:
    """Name the ranks of the nodes that an end is about."""
    nodes, per_node = prepared.plan.nodes, prepared.job.ranks_per_node
    words = []
    for name in ended.nodes:
        first = nodes.index(name) * per_node
        last = min(first + per_node, prepared.job.nranks) - 1
        words.append(f"{name}: rank {first}" if first == last else f"{name}: ranks {first} to {last}")
    return replace(ended, detail=f"{ended.detail} ({'; '.join(words)})") if words else ended


def report_of_bundle(
    directory: Path,
    launches: tuple[Launch, ...],
    *,
    hardware: Hardware | None,
    tolerances: Mapping[str, Mapping[str, object]] | None,
) -> Report:
    """Analyze the bundle like any other, and add how each launch ended to the facts."""
    # Loaded when the ranks are done: its libraries would delay their start.
    from slowlink.workflows.analyze import analyze

    report = analyze(directory, hardware=hardware, tolerances=tolerances)
    told = [
        {
            "name": launch.name,
            "reason": launch.ended.reason,
            "status": launch.ended.status,
            "signal": launch.ended.signal,
            "seconds": round(launch.ended.seconds, 3),
            "detail": launch.ended.detail,
            "nodes": list(launch.ended.nodes),
            "missing": dict(launch.missing),
        }
        for launch in launches
    ]
    return replace(report, facts={**report.facts, "launches": told})


def place_beside(bundle: str | None) -> Path:
    """The directory in which a bundle will lie. Raises SlowlinkError: ``no-directory``."""
    try:
        return Path(bundle).absolute().parent if bundle else Path.cwd()
    except FileNotFoundError as error:
        raise SlowlinkError(
            "the directory in which this shell stands was removed",
            hint="change to another one (cd)",
            slug="no-directory",
        ) from error


def workplace(parent: Path | None = None) -> TemporaryDirectory[str]:
    """A directory of ours, removed afterwards. Raises SlowlinkError when there is no place for one."""
    try:
        return TemporaryDirectory(prefix="slowlink-", dir=parent, ignore_cleanup_errors=True)
    except OSError as error:
        raise SlowlinkError(
            f"cannot make a temporary directory: {error.strerror}",
            hint="free some space, or set TMPDIR to a directory that can be written",
            slug="scratch-unwritable",
        ) from error


def describable(prepared: Prepared, output: str = "{output}") -> Plan:
    """The plan for people: the directory of this run's files by its name, not by its random path."""
    if prepared.output_directory is None:
        return prepared.plan
    place = str(prepared.output_directory)
    argv = tuple(word.replace(place, output) for word in prepared.plan.argv)
    env = {name: value.replace(place, output) for name, value in prepared.plan.env.items()}
    return replace(prepared.plan, argv=argv, env=env)
