"""The state of a run's nodes before and after it, in the run's own bundle: one answer from benchmark, log and state,
and counters whose growth is the run's."""

from __future__ import annotations

import os
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING

from msgspec.structs import replace

from slowlink.collectors.catalogue import Collector, chosen
from slowlink.launch.fanout.ways import Way
from slowlink.model.plan import Allocation, Node
from slowlink.workflows.nodes_of_run import nodes_of_run
from slowlink.workflows.snapshot import KIND, Question, Taken, ask_nodes

if TYPE_CHECKING:
    from slowlink.bundle import BundleWriter
    from slowlink.launch.fanout.ask import Answer
    from slowlink.launch.interface import Surroundings
    from slowlink.workflows.plan_run import Prepared

_LIMIT_S = 60.0
_AGAIN = ("kernel-log",)
"""Asked again afterwards besides what is sampled: what the kernel said meanwhile."""


def state_around(prepared: Prepared, here: Surroundings, bundle: BundleWriter) -> StateAround | None:
    """None where nodes cannot be asked."""
    asked = nodes_of_run(prepared, here)
    return StateAround(*asked, bundle) if asked is not None else None


class StateAround:
    """``with StateAround(...):`` asks the nodes before the block and after it.

    ``troubles`` says afterwards which nodes did not answer, and why: (node, words).
    """

    def __init__(self, nodes: Sequence[Node], way: Way, bundle: BundleWriter) -> None:
        every = chosen()
        self._before = Question(Allocation(tuple(nodes), "the run's"), way, every, _LIMIT_S, twice=False)
        self._after = replace(self._before, collectors=tuple(each for each in every if is_asked_again(each)))
        self._bundle = bundle
        self._mark = os.urandom(8).hex()
        self.troubles: list[tuple[str, str]] = []

    def __enter__(self) -> StateAround:
        self._ask(self._before, KIND)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._ask(self._after, f"{KIND}-after")

    def _ask(self, question: Question, name: str) -> None:
        taken = Taken()
        with self._bundle.many():
            ask_nodes(question, self._bundle, self._mark, _unheard, taken, name)
        self.troubles += taken.lost.items()


def is_asked_again(collector: Collector) -> bool:
    return collector.when == "sampled" or collector.name in _AGAIN


def _unheard(answer: Answer) -> None:
    """Nobody waits for single answers here."""
