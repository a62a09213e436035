"""Each node measures by itself, all of them side by side: which one is slower than the others?"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from slowlink.launch.alone import alone_end, alone_script
from slowlink.launch.fanout.ask import Answer, answers
from slowlink.model.plan import Ended, Node, Plan
from slowlink.workflows.launches.interface import COLLECTIVE_KIND, KINDS, About, Launch, Limits, Watcher
from slowlink.workflows.live import LiveRow, LiveTable

if TYPE_CHECKING:
    from slowlink.bundle import BundleWriter, CaptureWriter
    from slowlink.launch.fanout.ways import Way
    from slowlink.workflows.plan_run import Prepared
    from slowlink.workflows.rank_files.interface import RankFiles

_LOGIN_S = 15.0
"""What the way to a node may take besides the program's own time."""
_FOR_EVER_S = 1e9


class Apart:
    """``way``: how nodes are reached. What one prints is kept when it is done: a capture a node, ``NAME-1/node07``."""

    def __init__(self, name: str, about: About, prepared: Prepared, files: RankFiles | None, way: Way) -> None:
        self.name, self.about = name, about
        self._prepared, self._files, self._way = prepared, files, way
        self._mark = f"#slowlink-{os.urandom(8).hex()}"

    @property
    def plan(self) -> Plan:
        return self._prepared.plan

    @property
    def captures(self) -> int:
        return len(self._nodes)

    @property
    def _nodes(self) -> tuple[Node, ...]:
        wanted = set(self._prepared.plan.nodes)
        return tuple(node for node in self._prepared.allocation.nodes if node.name in wanted)

    def launch(
        self, number: int, bundle: BundleWriter, workplace: Path, limits: Limits, watcher: Watcher
    ) -> Sequence[Launch]:
        del workplace  # everything happens on the nodes
        missing = self._files.make() if self._files is not None else {}
        label = f"{self.name}-{number}"
        launches: dict[str, Launch] = {}
        with bundle.many():
            for node, answer, interrupted in self._asked(limits):
                with self._capture(bundle, f"{label}/{node.name}", node) as capture:
                    ended = self._keep(answer, capture, interrupted)
                    capture.end(ended)
                launches[node.name] = Launch(capture.name, ended)
                watcher.node_ended(node.name, _last_row(answer.stdout if answer else ""), ended)
            if self._files is not None:
                missing |= self._files.take(None, bundle, label.removeprefix("run-"))
        watcher.ended(number, _all_in_one([launch.ended for launch in launches.values()]))
        return [
            replace(launch, missing={name: missing[name]}) if name in missing else launch
            for name, launch in launches.items()
        ]

    def _capture(self, bundle: BundleWriter, name: str, node: Node) -> CaptureWriter:
        kind = KINDS.get(self._prepared.benchmark, COLLECTIVE_KIND)
        env = {**self.plan.env, **self._prepared.job.env}
        return bundle.capture(name, kind, self.plan.argv, node=node.name, env=env)

    def _asked(self, limits: Limits) -> Iterator[tuple[Node, Answer | None, bool]]:
        """Each node with what it printed, as they end, and whether somebody has interrupted by then."""
        nodes = self._nodes
        script = alone_script(self.plan.argv, self.plan.env, self._mark)
        timeout_s = (limits.timeout_s or _FOR_EVER_S) + _LOGIN_S
        left = dict(enumerate(nodes))
        stop = threading.Event()
        try:
            # Side by side means all of them: a node that waits for others would measure another moment.
            for place, answer in answers(
                nodes, script, self._way, timeout_s=timeout_s, fanout=len(nodes), stop=stop, held=True
            ):
                yield left.pop(place), answer, stop.is_set()
        except KeyboardInterrupt:
            pass
        for node in left.values():
            yield node, None, True

    def _keep(self, answer: Answer | None, capture: CaptureWriter, interrupted: bool) -> Ended:
        """What the node printed, into its capture; how it ended there."""
        if answer is None:
            return Ended(None, None, "interrupted", time.time(), 0.0)
        end = alone_end(answer.stderr, self._mark)
        capture.write_stdout(answer.stdout)
        if end.stderr:
            capture.write_stderr(end.stderr)
        if interrupted and end.status is None:
            return Ended(None, None, "interrupted", answer.started_at, answer.seconds)
        return _ended(answer, end.status)

    def close(self) -> None:
        if self._files is not None:
            self._files.remove()


def _ended(answer: Answer, status: int | None) -> Ended:
    """Of the program, where its end was heard; else of the node."""
    if status is None:
        reason = "timeout" if answer.trouble.startswith("not finished") else "silent"
        why = answer.trouble or "its end was not heard"
        return Ended(None, None, reason, answer.started_at, answer.seconds, f"{answer.node}: {why}", (answer.node,))
    signal = status - 128 if status > 128 else None
    known = None if signal else status
    return Ended(known, signal, "exited", answer.started_at, answer.seconds, answer.trouble)


def _last_row(text: str) -> LiveRow | None:
    """The largest size that was measured."""
    table = LiveTable()
    return max(table.feed(text.encode()), key=lambda row: row.size_bytes, default=None)


def _all_in_one(ends: Sequence[Ended]) -> Ended:
    """The whole launch: it lasted as long as its slowest node, and is as good as its worst."""
    worst = max(ends, key=lambda ended: (ended.reason != "exited", ended.status != 0, ended.seconds))
    return replace(worst, seconds=max(ended.seconds for ended in ends))
