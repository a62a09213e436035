"""Nodes are sampled while something else runs: started before it, ended after it, and kept in the same bundle."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from slowlink.errors import SlowlinkError
from slowlink.facts.watched import ROW_TIMES
from slowlink.launch.backlog import Backlog, without
from slowlink.launch.execute import execute
from slowlink.launch.fanout.ask import Answer, answers
from slowlink.launch.fanout.ways import way_of
from slowlink.model.plan import Ended, Node, Plan
from slowlink.samplers import RUN_VARIABLE, Sampling, watch_script
from slowlink.workflows.live import LiveTable, noted
from slowlink.workflows.standing_ranks import StandingRanks

if TYPE_CHECKING:
    from slowlink.bundle import BundleWriter
    from slowlink.launch.fanout.ways import Way
    from slowlink.launch.interface import Surroundings
    from slowlink.workflows.nodes_given import NodeChoice
    from slowlink.workflows.plan_run import Prepared

KIND = "watch"
"""Kind of the capture that holds a node's samples."""
_LOGIN_S = 1.0
"""Logins take this long; what is measured meanwhile would have nothing beside it."""
_SETTLE_S = 2.5
"""Two samples a second apart tell what others do before the run begins; with longer intervals nobody waits for them."""
_END_S = 15.0
_LAST_SAMPLE_S = 5.0
"""Nobody waits longer for the sample that tells of the last moments."""
_SILENT_S = 60.0
"""A program that printed nothing for a third of this has its ranks looked at."""
_MARGIN_S = 60.0
"""A node's own limit is this much later than ours: it is there for nodes that have lost us."""


class Watching:
    """``with Watching(...):`` samples the nodes for as long as the block runs, one shell a node.

    ``troubles`` says afterwards which nodes were not watched, and why: (node, words).
    """

    def __init__(self, nodes: Sequence[Node], way: Way, sampling: Sampling, bundle: BundleWriter) -> None:
        self._nodes, self._way, self._sampling, self._bundle = tuple(nodes), way, sampling, bundle
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="slowlink-watch")
        self._error: SlowlinkError | None = None
        self.troubles: list[tuple[str, str]] = []

    def __enter__(self) -> Watching:
        self._thread.start()
        try:
            time.sleep(min(_LOGIN_S + 1.5 * self._sampling.interval_s, _SETTLE_S))
        except BaseException:  # Ctrl-C: __exit__ is not called then, and the nodes would be sampled for hours
            self._end()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                # The sample that tells of the last moments is still to come.
                self._stop.wait(min(self._sampling.interval_s, _LAST_SAMPLE_S))
        finally:
            self._end()
        if kind is None and self._error is not None:
            raise self._error

    def _end(self) -> None:
        self._stop.set()
        self._thread.join(_END_S)

    def _watch(self) -> None:
        try:
            outliving = replace(self._sampling, longest_s=self._sampling.longest_s + _MARGIN_S)
            script, limit = watch_script(outliving), outliving.longest_s + _MARGIN_S
            asked = answers(self._nodes, script, self._way, timeout_s=limit, fanout=len(self._nodes), stop=self._stop)
            for _, answer in asked:
                self._keep(answer)
        except SlowlinkError as error:
            self._error = error

    def _keep(self, answer: Answer) -> None:
        if answer.trouble or not answer.stdout:
            silent = f"no answer within {answer.seconds:.0f} s"
            self.troubles.append((answer.node, answer.trouble or _last_line(answer.stderr) or silent))
        with self._bundle.capture(f"watch/{answer.node}", KIND, self._way.argv(_named(self._nodes, answer.node)),
                                  node=answer.node) as capture:  # fmt: skip
            capture.write_stdout(answer.stdout)
            if answer.stderr:
                capture.file("stderr").write(answer.stderr)
            capture.end(Ended(0, None, "exited", answer.started_at, answer.seconds, answer.trouble))


class WatchedRun(Struct, frozen=True):
    """That the nodes of a run are to be watched."""

    here: Surroundings
    context: str | None = None
    namespace: str | None = None

    def beside(self, prepared: Prepared, bundle: BundleWriter) -> Watching:
        """What is entered around the launches. Raises SlowlinkError (``cannot-watch``) where the nodes are not known or
        not there before the ranks are."""
        launcher, nodes = prepared.plan.launcher, prepared.allocation.nodes
        if launcher == "kubernetes" or not nodes:
            raise SlowlinkError(
                "--watch needs nodes that are there before the run; "
                + ("pods begin with it" if launcher == "kubernetes" else "the scheduler has not chosen them yet"),
                hint="--nodes SET over ssh, or inside an allocation (salloc)",
                slug="cannot-watch",
            )
        way = way_of(launcher, self.here.programs, context=self.context, namespace=self.namespace)
        # mpirun and the logins that we start are of the run, too.
        os.environ[RUN_VARIABLE] = self.here.run_id
        sampling = Sampling(self.here.run_id, launcher=(os.uname().nodename, os.getpid()))
        return Watching(nodes, way, sampling, bundle)


def nodes_and_way(choice: NodeChoice, on: str | None) -> tuple[tuple[Node, ...], Way]:
    """The nodes that are named, or this machine. Raises SlowlinkError."""
    from slowlink.launch.surroundings import find_programs
    from slowlink.workflows.nodes_given import chosen_nodes

    named = chosen_nodes(choice)
    nodes = named.nodes if named is not None else (Node(os.uname().nodename),)
    return nodes, way_of(on or ("ssh" if named is not None else "local"), find_programs())


class Watched(Struct, frozen=True):
    """What became of a watch."""

    troubles: tuple[tuple[str, str], ...]
    """(node, why) of nodes that were not watched."""
    program: str
    """How the program ended, in words; "" when it ended well, or there was none."""
    interrupted: bool = False
    """Somebody ended the program."""


def watch(
    nodes: Sequence[Node],
    way: Way,
    sampling: Sampling,
    bundle: BundleWriter,
    *,
    program: Sequence[str] = (),
    seconds: float | None = None,
    tell: Callable[[str], None],
) -> Watched:
    """Samples while ``program`` runs here, or for so many seconds, or until Ctrl-C. ``tell`` hears of ranks that stand
    still as soon as that is seen."""
    watching = Watching(nodes, way, sampling, bundle)
    ended: Ended | None = None
    with watching:
        if program:
            with StandingRanks(nodes, way, sampling.run, bundle, tell, sampling.ours) as ranks:
                ended = _run_beside(program, sampling.run, bundle, seconds, ranks)
        else:
            with suppress(KeyboardInterrupt):
                time.sleep(sampling.longest_s if seconds is None else seconds)
    interrupted = ended is not None and ended.reason == "interrupted"
    return Watched(tuple(watching.troubles), _bad_end(ended) if ended is not None else "", interrupted)


def _run_beside(
    program: Sequence[str], run: str, bundle: BundleWriter, seconds: float | None, ranks: StandingRanks
) -> Ended:
    """The user's own program: what it prints goes to the terminal and into the bundle. Where it is silent its ranks are
    looked at; whatever they do, it is not ours to end."""
    import sys
    from pathlib import Path

    from slowlink.launch.temporary.places import temporary

    def look() -> tuple[str, tuple[str, ...]]:
        ranks.look()
        return "", ()

    here = (os.uname().nodename,)
    plan = Plan("local", tuple(program), env={RUN_VARIABLE: run}, timeout_s=seconds, nodes=here)
    with bundle.capture("run-1", "collective", plan.argv) as capture, temporary() as directory:
        stdout, stderr = capture.file("stdout"), capture.file("stderr")

        backlog, table = Backlog(), LiveTable()
        keep_stdout, keep_stderr = backlog.sink(stdout.write_bytes), backlog.sink(stderr.write_bytes)

        def on_stdout(chunk: bytes) -> None:
            keep_stdout(chunk)
            rows = table.feed(chunk)
            if rows:
                capture.file(ROW_TIMES).write(noted(rows, time.time()))
            sys.stdout.buffer.write(chunk)
            sys.stdout.flush()

        def on_stderr(chunk: bytes) -> None:
            keep_stderr(chunk)
            sys.stderr.buffer.write(chunk)
            sys.stderr.flush()

        with backlog:
            ended = execute(
                plan,
                Path(directory) / "scratch",
                on_stdout,
                on_stderr,
                silent_after_s=_SILENT_S,
                is_alive=lambda _: True,
                look=look,
            )
        if ended.reason == "timeout":
            # The user chose how long to watch: no rank is late for that.
            ended = replace(ended, reason="enough", detail=f"ended after the {seconds:g} s of --for")
        ended = without(ended, backlog.lost)
        capture.end(ended)
    return ended


def _bad_end(ended: Ended) -> str:
    """How the program ended, in words; "" where it ended well."""
    if ended.reason == "enough":
        return f"was {ended.detail}"
    if ended.reason != "exited":
        return f"was {ended.reason}" + (f": {ended.detail}" if ended.detail else "")
    return "" if ended.status == 0 else f"ended with status {ended.status}"


def _named(nodes: Sequence[Node], name: str) -> Node:
    return next(node for node in nodes if node.name == name)


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1][:200] if lines else ""
