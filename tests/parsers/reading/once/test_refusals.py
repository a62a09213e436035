"""What a parser refuses as long as it is new is found out once, and only where leaving it out changes nothing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

import pytest

from slowlink.inputs import Input
from slowlink.model.source import Line
from slowlink.parsers.forms.interface import Record, Use
from slowlink.parsers.reading.once import refusals
from slowlink.parsers.reading.once.refusals import Refusals
from slowlink.parsers.reading.read import read
from slowlink.simulate.node_state.description import SimulatedNode
from slowlink.simulate.node_state.kernel_files import kernel_files
from slowlink.simulate.node_state.nvidia_smi_output import query


class Refuses:
    """Takes nothing, and remembers nothing."""

    kind: ClassVar[str] = "refuses"
    greedy: ClassVar[bool] = False

    def __init__(self) -> None:
        self.last = -12

    @staticmethod
    def wants(text: str) -> bool:
        return bool(text)

    def feed(self, line: Line) -> Use:
        return Use.NOT_MINE

    def finish(self) -> Iterable[Record]:
        return ()


class Takes(Refuses):
    def feed(self, line: Line) -> Use:
        return Use.USED


class Remembers(Refuses):
    def feed(self, line: Line) -> Use:
        self.last = 1
        return Use.NOT_MINE


class LooksBefore(Refuses):
    def feed(self, line: Line) -> Use:
        return Use.USED if line.before == "here it comes" else Use.NOT_MINE


class LooksAtTheNumber(Refuses):
    def feed(self, line: Line) -> Use:
        return Use.USED if line.no > 1000 else Use.NOT_MINE


class BecomesGreedy(Refuses):
    greedy = True


def test_only_a_parser_that_says_no_to_the_text_alone_is_left_out() -> None:
    known = Refusals((Takes, Refuses, Remembers, LooksBefore, LooksAtTheNumber, BecomesGreedy))
    wanted = tuple(range(6))
    answers = [set(known.of("a line", wanted)) for _ in range(20)]
    assert answers[0] == set()
    assert answers[-1] == {1}


def test_a_parser_that_has_learned_something_is_not_as_new() -> None:
    known = Refusals((Remembers,))
    parser = Remembers()
    assert known.is_as_new(0, parser)
    parser.feed(Line("a", 1, "x"))
    assert not known.is_as_new(0, parser)


def test_texts_are_remembered_within_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refusals, "_MOST_TEXTS", 10)
    known = Refusals((Refuses,))
    for number in range(100):
        known.of(str(number), (0,))
    assert sum(map(len, known._known.values())) <= 10


def test_nothing_shows_that_parsers_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = []
    for number in range(6):
        node = SimulatedNode(f"gpu{number:03}", number=number, gpus=4, numa_balancing=number == 3)
        files = "".join(f"/{path}:{line}\n" for path, text in kernel_files(node).items() for line in text.splitlines())
        texts.append((f"{node.name}.txt", f"$ nvidia-smi -q\n{query(node)}\n$ grep -r . /sys\n{files}" * 2))

    def all_of(times: int) -> object:
        monkeypatch.setattr(refusals, "_TIMES", times)
        monkeypatch.setattr(refusals, "_OF", {})
        return read([Input(name, None, [text.encode()]) for name, text in texts], workers=1)

    assert all_of(1) == all_of(1 << 40)
