"""All ranks of a run are started together, by one launcher."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from slowlink.bundle import BundleWriter, CaptureWriter
from slowlink.facts.watched import ROW_TIMES
from slowlink.launch.backlog import Backlog, without
from slowlink.launch.execute import execute
from slowlink.launch.refusals import refusal
from slowlink.launch.watchdog import answers
from slowlink.model.plan import Ended, Node, Plan
from slowlink.workflows.launches.interface import COLLECTIVE_KIND, KINDS, About, Launch, Limits, Watcher
from slowlink.workflows.live import LiveTable, noted

if TYPE_CHECKING:
    from slowlink.workflows.plan_run import Prepared
    from slowlink.workflows.rank_files.interface import RankFiles

_MOST_COMPLAINTS = 1 << 16
"""The end of what is printed on either stream is kept, bytes."""
_HEADER = b"busbw"
"""Stands above every table: the ranks had begun."""
_FOOTERS = (b"# Out of bounds values", b"# Avg bus bandwidth")
"""A table with one of these came to its end."""
_LOST_ATTEMPTS = 3
"""How often nodes are asked after a run that stopped early, a little later each time."""


class Together:
    """``files``: what ranks write beside what they print; None where they write nothing."""

    captures = 1

    def __init__(
        self, name: str, about: About, prepared: Prepared, files: RankFiles | None, *, once: bool = False
    ) -> None:
        """``once``: there is one launch, and its capture has the name as it is."""
        self.name, self.about, self._once = name, about, once
        self._prepared, self._files = prepared, files

    @property
    def plan(self) -> Plan:
        return self._prepared.plan

    def launch(
        self, number: int, bundle: BundleWriter, workplace: Path, limits: Limits, watcher: Watcher
    ) -> Sequence[Launch]:
        prepared = self._prepared
        missing = self._files.make() if self._files is not None else {}
        with bundle.capture(
            self.name if self._once else f"{self.name}-{number}",
            KINDS.get(prepared.benchmark, COLLECTIVE_KIND),
            prepared.plan.argv,
            env={**os.environ, **prepared.job.env},
        ) as capture:
            scratch = workplace / f"scratch-{self.name.replace('/', '-')}-{number}"
            ended = _launch(prepared, capture, scratch, limits, watcher, number, self._files)
            if self._files is not None:
                missing |= self._files.take(capture, bundle, capture.name.removeprefix("run-"))
            capture.end(ended)
        watcher.ended(number, ended)
        return (Launch(capture.name, ended, missing),)

    def close(self) -> None:
        if self._files is not None:
            self._files.remove()


def _launch(
    prepared: Prepared,
    capture: CaptureWriter,
    scratch: Path,
    limits: Limits,
    watcher: Watcher,
    number: int,
    files: RankFiles | None,
) -> Ended:
    """One launch to its end, whatever end that is."""
    table = LiveTable()
    stdout = capture.file("stdout")
    stderr = capture.file("stderr")

    printed = bytearray()

    def on_stdout(chunk: bytes) -> None:
        stdout.write_bytes(chunk)
        printed.extend(chunk)
        del printed[:-_MOST_COMPLAINTS]
        rows = table.feed(chunk)
        if rows and limits.notes_rows:
            capture.file(ROW_TIMES).write(noted(rows, time.time()))
        for row in rows:
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
            backlog.sink(files.through(on_stdout) if files is not None else on_stdout),
            backlog.sink(on_stderr),
            timeout_s=limits.timeout_s,
            silent_after_s=limits.silent_after_s,
            is_alive=_probe(prepared.allocation.nodes),
            look=limits.ranks.look if limits.ranks is not None else None,
            on_start=table.load,
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
    for name in ended.nodes if ended.reason == "silent" else ():
        first = nodes.index(name) * per_node
        last = min(first + per_node, prepared.job.nranks) - 1
        words.append(f"{name}: rank {first}" if first == last else f"{name}: ranks {first} to {last}")
    return replace(ended, detail=f"{ended.detail} ({'; '.join(words)})") if words else ended
