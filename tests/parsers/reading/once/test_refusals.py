"""What a parser refuses as long as it is new is found out once, and only where leaving it out changes nothing."""

from __future__ import annotations

import random
from collections.abc import Iterable
from importlib import import_module
from typing import ClassVar

import pytest
from docstring_samples import sample_in

from slowlink.inputs import Input
from slowlink.model.source import Line
from slowlink.parsers import line_parsers, unit_names
from slowlink.parsers.forms.interface import Record, Use
from slowlink.parsers.forms.limit import Limit, Room, kept_in
from slowlink.parsers.reading import plans
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


class Alike(Refuses):
    digits_alike: ClassVar[bool] = True


class TakesSome(Alike):
    """No number is a word to it, but noughts are nothing."""

    def feed(self, line: Line) -> Use:
        return Use.USED if any(digit in line.text for digit in "123456789") else Use.NOT_MINE


class KnowsNumbers(Alike):
    @staticmethod
    def knows_numbers(text: str) -> bool:
        return "status 00" in text


class OfRanks(Alike):
    def feed(self, line: Line) -> Use:
        return Use.NOT_MINE if line.rank is None else Use.USED


class HasRoomForOne(Refuses):
    most: ClassVar[Limit] = Limit(1, "lines")

    def feed(self, line: Line) -> Use:
        return Use.USED if self.most.has_room(0) else Use.NOT_MINE


def test_a_source_without_room_refuses_nothing_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    known = Refusals((Refuses, HasRoomForOne))
    with kept_in(Room(lambda _: None, most=0)):
        assert set([known.of("a line", (0, 1), ranked=False) for _ in range(20)][-1]) == {0}
    monkeypatch.setattr(HasRoomForOne, "most", Limit(0, "lines"))
    assert set([known.of("another", (0, 1), ranked=False) for _ in range(20)][-1]) == {0}


def test_only_a_parser_that_says_no_to_the_text_alone_is_left_out() -> None:
    known = Refusals((Takes, Refuses, Remembers, LooksBefore, LooksAtTheNumber, BecomesGreedy))
    wanted = tuple(range(6))
    answers = [set(known.of("a line", wanted, ranked=False)) for _ in range(20)]
    assert answers[0] == set()
    assert answers[-1] == {1}


def test_lines_that_differ_by_digits_alone_are_refused_together() -> None:
    known = Refusals((Refuses, Alike, TakesSome, KnowsNumbers, OfRanks))
    wanted = tuple(range(5))

    def refused(text: str, *, ranked: bool = False) -> set[int]:
        return set([known.of(text.format(number), wanted, ranked=ranked) for number in range(10, 40)][-1])

    assert refused("step {}") == {1, 3, 4}
    assert refused("step {}", ranked=True) == {1, 3}
    assert refused("status {}") == {1, 4}
    assert known.without(wanted, "step 12", ranked=False) == (0, 2)


def test_a_line_that_a_parser_takes_is_not_of_a_shape_that_it_refuses() -> None:
    """Whatever digits stand in it: that is what ``digits_alike`` promises."""
    parsers = line_parsers()
    known = Refusals(parsers)
    alike = [number for number, unit in enumerate(parsers) if getattr(unit, "digits_alike", False)]
    assert len(alike) > 20
    lines = {line for name in unit_names() for line in sample_in(import_module(name).__doc__ or "").splitlines()}
    taken = [
        (number, line)
        for line in sorted(lines)
        for number in alike
        if parsers[number].wants(line) and parsers[number]().feed(Line("log", 1, line)) is not Use.NOT_MINE
    ]
    assert len(taken) > 150
    assert [
        (parsers[number].kind, line) for number, line in taken if not known.without((number,), line, ranked=False)
    ] == []


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
        known.of(str(number), (0,), ranked=False)
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


def _log(seed: int) -> str:
    """Lines that say the same for ever, and among them a few of the same words that do not."""
    chance = random.Random(seed)
    noise = (
        'INFO:     10.0.5.{n}:3{n} - "POST /v1/chat/completions HTTP/1.1" 200 OK',
        "[rank{d}]:[I1129 10:00:{d}0.123456000 ProcessGroupNCCL.cpp:2081] [PG ID 0 Rank {d}] broadcast took 0.{n} ms",
        "Nov 29 10:00:0{d} gpu0{n} systemd[1]: Started Session {n} of user root.",
        "2026-11-29 10:00:0{d},123 DEBUG dataloader.worker[{d}] fetched shard 00{n}.tar bytes=12{n} cache=miss",
        '{{"ts":"2026-11-29T10:00:0{d}Z","level":"info","step":{n},"loss":1.{n},"rank":{d}}}',
        "slurmstepd: task {d} of step 0 ended with 0",
        "    {d}     {n}    60       -    99    30      0      0      0      0   2619   1980",
    )
    telling = (
        "NVRM: Xid (PCI:0000:c1:00.0): 79, pid=7, GPU has fallen off the bus.",
        "srun: error: gpu0{n}: task {d}: Exited with exit code 1",
        "# gpu   pwr gtemp mtemp    sm   mem   enc   dec   jpg   ofa  mclk  pclk",
        "2026-11-29 10:00:0{d},123 ERROR dataloader.worker[{d}] CUDA error: out of memory",
        "slurmstepd: error: *** STEP 12.0 ON gpu0{n} CANCELLED AT 2026-11-29T10:00:0{d} DUE TO TIME LIMIT ***",
    )
    lines = [chance.choice(noise if chance.random() < 0.97 else telling) for _ in range(900)]
    return "".join(line.format(n=chance.randint(10, 99), d=chance.randint(0, 9)) + "\n" for line in lines)


@pytest.mark.parametrize("seed", range(3))
def test_nor_in_logs_that_say_the_same_for_ever(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def found() -> object:
        monkeypatch.setattr(refusals, "_OF", {})
        monkeypatch.setattr(plans, "_KNOWN", {})
        return read([Input("job.log", None, [_log(seed).encode()])], workers=1)

    as_it_is = found()
    monkeypatch.setattr(Refusals, "_refuses_shape", lambda *_: False)
    assert as_it_is == found()
