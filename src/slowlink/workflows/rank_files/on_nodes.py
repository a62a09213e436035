"""Ranks write into a directory of their own node, which nobody else sees: it is made before the launch, and fetched
and removed after it, over the same way by which nodes are asked for their state."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from slowlink.launch.fanout.ask import Answer, answers, ask
from slowlink.launch.fanout.ways import Way
from slowlink.launch.temporary.places import OnNodes
from slowlink.model.plan import Ended, Node
from slowlink.nodes import fold
from slowlink.workflows.rank_files.framed import (
    Received,
    make_script,
    received,
    remove_left_script,
    remove_script,
    send_script,
)
from slowlink.workflows.rank_files.interface import DEBUG_DIRECTORY, DEBUG_KIND, unpacked

if TYPE_CHECKING:
    from slowlink.bundle import BundleWriter, CaptureWriter
    from slowlink.workflows.rank_files.interface import Sink

_DEBUG = f"{DEBUG_DIRECTORY}/"
_MAKE_S = 30.0
_FETCH_S = 120.0


class FilesOnNodes:
    """The same ``directory`` on each of ``nodes``."""

    def __init__(self, nodes: Sequence[Node], way: Way, directory: str, outputs: tuple[str, ...]) -> None:
        self._nodes, self._way, self._directory, self._outputs = tuple(nodes), way, directory, outputs
        self._mark = os.urandom(8).hex()
        self._is_there = False
        self._removal = OnNodes([way.argv(node) for node in self._nodes], remove_left_script(directory))

    def make(self) -> dict[str, str]:
        if self._is_there:
            return {}
        self._is_there = True
        self._removal.begin()
        made = ask(self._nodes, make_script(self._directory), self._way, timeout_s=_MAKE_S)
        self._removal.made()
        return {answer.node: why for answer in made if (why := _why(answer))}

    def take(self, capture: CaptureWriter | None, bundle: BundleWriter, name: str) -> dict[str, str]:
        missing: dict[str, str] = {}
        taken: set[str] = set()
        script = send_script(self._directory, self._outputs, self._mark)
        with bundle.many():
            for _, answer in answers(self._nodes, script, self._way, timeout_s=_FETCH_S):
                files, is_all = received(answer.stdout, self._mark)
                why = _why(answer) or ("" if is_all else "its answer was cut")
                if cut := [file.name for file in files if not file.is_whole]:
                    why = why or f"only a part of {', '.join(cut)}"
                if why:
                    missing[answer.node] = why
                for file in files:
                    # Rank 0 writes these: one node has them.
                    if capture is not None and file.name in self._outputs and file.name not in taken:
                        taken.add(file.name)
                        path, data = unpacked(file.name, file.data)
                        capture.file(path).write_bytes(data)
                self._keep(bundle, f"{DEBUG_KIND}-{name}/{answer.node}", answer, files, why)
        self._is_there = bool(missing)
        if not missing:
            self._removal.removed()
        return missing

    def _keep(self, bundle: BundleWriter, name: str, answer: Answer, files: Sequence[Received], why: str) -> None:
        """NCCL's logs of one node, in a capture that says how the node answered."""
        logs = {file.name.removeprefix(_DEBUG): file.data for file in files if file.name.startswith(_DEBUG)}
        if not logs and not why:
            return
        node = next(node for node in self._nodes if node.name == answer.node)
        with bundle.capture(name, DEBUG_KIND, self._way.argv(node), node=node.name) as debug:
            for log, data in logs.items():
                debug.file(log).write_bytes(data)
            reason, lost = ("unanswered", (node.name,)) if why else ("exited", ())
            debug.end(Ended(answer.status, None, reason, answer.started_at, answer.seconds, why, lost))

    def through(self, sink: Sink) -> Sink:
        return sink

    def remove(self) -> None:
        if self._is_there:
            self._is_there = False
            ask(self._nodes, remove_script(self._directory), self._way, timeout_s=_MAKE_S)
            self._removal.removed()


def in_words(missing: dict[str, str]) -> list[str]:
    """``node[03-04]: no answer on the ssh port``: nodes with the same trouble in one line."""
    by_why: dict[str, list[str]] = {}
    for node, why in missing.items():
        by_why.setdefault(why, []).append(node)
    return [f"{fold(nodes)}: {why}" for why, nodes in by_why.items()]


def _why(answer: Answer) -> str:
    """Empty where the node did what it was asked."""
    if answer.trouble or not answer.status:
        return answer.trouble
    said = answer.stderr.strip().splitlines()
    return said[-1][:200] if said else f"its shell ended with {answer.status}"
