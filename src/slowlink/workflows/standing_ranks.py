"""What the ranks of a run do while nothing is heard of them: asked on their nodes, and kept in the run's bundle."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING

from slowlink.launch.fanout.ask import answers
from slowlink.model.plan import Ended, Node
from slowlink.samplers import ranks_script
from slowlink.workflows.nodes_of_run import nodes_of_run

if TYPE_CHECKING:
    from slowlink.bundle import BundleWriter
    from slowlink.launch.fanout.ask import Answer
    from slowlink.launch.fanout.ways import Way
    from slowlink.launch.interface import Surroundings
    from slowlink.model.state import Reading
    from slowlink.workflows.plan_run import Prepared

KIND = "ranks"
"""Kind of the capture that holds a node's answers."""
_ANSWER_S = 20.0


def standing_ranks(
    prepared: Prepared, here: Surroundings, bundle: BundleWriter, tell: Callable[[str], None]
) -> StandingRanks | None:
    """None where nodes cannot be asked. Ranks carry the run's word in ``SLOWLINK_RUN``."""
    asked = nodes_of_run(prepared, here)
    return StandingRanks(*asked, here.run_id, bundle, tell) if asked is not None else None


class StandingRanks:
    """``with StandingRanks(...) as ranks:`` each ``ranks.look()`` is a capture a node. ``tell`` hears at once of ranks
    that stand still."""

    def __init__(
        self,
        nodes: Sequence[Node],
        way: Way,
        run: str,
        bundle: BundleWriter,
        tell: Callable[[str], None],
        ours: Sequence[str] = (),
    ) -> None:
        self._nodes, self._way, self._bundle, self._tell = tuple(nodes), way, bundle, tell
        self._script = ranks_script(run, tuple(ours))
        self._readings: list[Reading] = []
        self._told: set[str] = set()
        self._looks = 0
        self._lock = threading.Lock()
        self._stop = threading.Event()

    def __enter__(self) -> StandingRanks:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        with self._lock:  # a look may be under way; the bundle is closed soon
            pass

    def look(self) -> tuple[str, tuple[str, ...]]:
        """Look once. Gives words and nodes of ranks which two looks saw stopped or ended; ("", ()) as long as there
        are none. Never raises for what a node does."""
        with self._lock:
            if self._stop.is_set():
                return "", ()
            self._looks += 1
            asked = answers(self._nodes, self._script, self._way, timeout_s=_ANSWER_S, stop=self._stop)
            for _, answer in asked:
                self._keep(answer)
                self._readings += _readings(answer)
            return self._judged()

    def _judged(self) -> tuple[str, tuple[str, ...]]:
        from slowlink.facts.hang.standing import standing

        found = standing(self._readings)
        for each in found:
            if each.words not in self._told:
                self._told.add(each.words)
                self._tell(f"nothing was heard for a while: {each.words}")
        sure = [each for each in found if each.how in ("stopped", "ended") and each.before]
        return "; ".join(each.words for each in sure), tuple(dict.fromkeys(each.node for each in sure))

    def _keep(self, answer: Answer) -> None:
        node = next(node for node in self._nodes if node.name == answer.node)
        with self._bundle.capture(
            f"ranks/{self._looks}/{answer.node}", KIND, self._way.argv(node), node=answer.node
        ) as capture:
            capture.write_stdout(answer.stdout)
            capture.end(Ended(0, None, "exited", answer.started_at, answer.seconds, answer.trouble))


def _readings(answer: Answer) -> list[Reading]:
    """What the answer says of ranks, read by the parser that also reads the bundle."""
    from msgspec.structs import replace

    from slowlink.model.source import Line
    from slowlink.model.state import Reading
    from slowlink.parsers.context.rank_states import PARSER

    parser = PARSER()
    for number, text in enumerate(answer.stdout.splitlines(), 1):
        if PARSER.wants(text):
            parser.feed(Line(answer.node, number, text))
    return [replace(each, host=answer.node) for each in parser.finish() if isinstance(each, Reading)]
