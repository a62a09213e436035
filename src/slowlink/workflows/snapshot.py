"""Ask every node for its state, into a bundle. What is concluded comes from the bundle, by the one analysis."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from slowlink.bundle import BundleWriter
from slowlink.collectors.script import compose
from slowlink.launch.fanout.ask import Answer, answers
from slowlink.launch.fanout.ways import Way
from slowlink.model.plan import Allocation, Ended, Node

if TYPE_CHECKING:
    from slowlink.collectors.catalogue import Collector

KIND = "state"
LOGIN_S = 15.0
"""What the way to a node may take besides the script's own time."""
_NAME = re.compile(r"[\w.:-]{1,255}")


class Question(Struct, frozen=True):
    """What is asked, of whom, and how they are reached."""

    allocation: Allocation
    way: Way
    collectors: tuple[Collector, ...]
    limit_s: float
    """For everything on one node; logging in comes on top."""
    sample_s: float = 2.0
    fanout: int = 64
    root: str = ""
    twice: bool = True
    """Is what is sampled asked twice? Not by one who asks again later."""
    lighter: tuple[Collector, ...] = ()
    """What all nodes but ``fully`` of them are asked, where that is less."""
    fully: int = 0

    @property
    def on_every_node(self) -> tuple[Collector, ...]:
        return tuple(each for each in self.collectors if each.when != "fabric")

    @property
    def on_one_node(self) -> tuple[Collector, ...]:
        """Collectors of the fabric: one node sees all of it."""
        return tuple(each for each in self.collectors if each.when == "fabric")


class Taken(Struct):
    """How a snapshot went."""

    answered: list[str] = field(default_factory=list)
    lost: dict[str, str] = field(default_factory=dict)
    """Node -> why nothing, or not all, is known of it."""
    offers: dict[str, str] = field(default_factory=dict)
    """Collector of the fabric -> the first node that has what it needs."""


def script_of(question: Question, mark: str) -> str:
    """What runs on every node."""
    return compose(
        question.on_every_node,
        mark,
        limit_s=question.limit_s,
        sample_s=question.sample_s,
        root=question.root,
        offered=question.on_one_node,
        twice=question.twice,
    )


def take(question: Question, bundle: BundleWriter, mark: str, on_answer: Callable[[Answer], None]) -> Taken:
    """Ask all nodes, then one node about the fabric. Every transcript is in the bundle as soon as it is there.

    ``mark``: of this run, random. Raises SlowlinkError when the bundle cannot be written, and KeyboardInterrupt when it
    was interrupted: then the bundle is finished, and says which nodes were not asked.
    """
    bundle.set_nodes([node.name for node in question.allocation.nodes])
    taken = Taken()
    try:
        with bundle.many():
            ask_nodes(question, bundle, mark, on_answer, taken)
            _ask_fabric(question, bundle, taken, mark)
    except KeyboardInterrupt:
        with bundle.many():
            _tell_missing(question, bundle, taken, mark)
        bundle.finish()
        raise
    bundle.finish()
    return taken


def ask_nodes(
    question: Question,
    bundle: BundleWriter,
    mark: str,
    on_answer: Callable[[Answer], None],
    taken: Taken,
    name: str = KIND,
) -> None:
    """Ask all nodes, into captures below ``name``, and note in ``taken`` who answered. Raises as ``take``."""
    nodes = question.allocation.nodes
    places: dict[str, int] = {}
    scripts = _scripts(question, mark)
    for number, answer in _asked(question, nodes, scripts, question.limit_s):
        _store(bundle, f"{name}/{answer.node}", question.way, nodes[number], answer, mark)
        _note(taken, answer)
        for offered in _has(answer.stdout, mark):
            if number <= places.get(offered, number):
                places[offered], taken.offers[offered] = number, answer.node
        on_answer(answer)


def _scripts(question: Question, mark: str) -> str | Callable[[int], str]:
    """The script of each place; nodes that are asked fully are spread evenly over all of them."""
    full, count = script_of(question, mark), len(question.allocation.nodes)
    if not question.lighter or question.fully >= count:
        return full
    light = script_of(replace(question, collectors=question.lighter), mark)
    places = {number * count // question.fully for number in range(question.fully)}
    return lambda place: full if place in places else light


def _asked(
    question: Question, nodes: Sequence[Node], script: str | Callable[[int], str], limit_s: float
) -> Iterator[tuple[int, Answer]]:
    return answers(nodes, script, question.way, timeout_s=limit_s + LOGIN_S, fanout=question.fanout)


def _note(taken: Taken, answer: Answer) -> None:
    if answer.trouble:
        taken.lost[answer.node] = answer.trouble
    else:
        taken.answered.append(answer.node)


def _ask_fabric(question: Question, bundle: BundleWriter, taken: Taken, mark: str) -> None:
    by_name = {node.name: node for node in question.allocation.nodes}
    for name in dict.fromkeys(taken.offers.values()):
        mine = [each for each in question.on_one_node if taken.offers.get(each.name) == name]
        limit = float(sum(each.timeout_s for each in mine))
        script = compose(mine, mark, limit_s=limit, root=question.root)
        for _, answer in _asked(question, [by_name[name]], script, limit):
            _store(bundle, f"fabric/{name}", question.way, by_name[name], answer, mark)


def _store(bundle: BundleWriter, name: str, way: Way, node: Node, answer: Answer, mark: str) -> None:
    with bundle.capture(name, KIND, way.argv(node), node=answer.node) as capture:
        capture.write_stdout(transcript(answer, mark))
        # What ssh says of a node that it does not reach is no log of a job: the transcript has it in our words.
        if answer.stderr and not answer.trouble:
            capture.write_stderr(answer.stderr)
        capture.end(
            Ended(
                status=answer.status,
                signal=None,
                reason="exited" if not answer.trouble else "unanswered",
                started_at=answer.started_at,
                seconds=answer.seconds,
                detail=_detail(answer),
                nodes=(answer.node,) if answer.trouble else (),
            )
        )


def _detail(answer: Answer) -> str:
    """Why, and the words of ssh, srun or kubectl behind it."""
    said = answer.stderr.strip().splitlines() if answer.trouble else []
    return f"{answer.trouble} ({said[-1][:300]})" if said else answer.trouble


def transcript(answer: Answer, mark: str) -> str:
    """What a node printed, with the name by which it was asked, and, where it did not answer, why."""
    name = answer.node if _NAME.fullmatch(answer.node) else "unnamed"
    head = re.compile(rf"^(#slowlink-transcript 1 {mark} host [\w.:-]{{1,255}})(?= at [\d.]{{1,30}}$)", re.MULTILINE)
    text, found = head.subn(rf"\1 node {name}", answer.stdout, count=1)
    if not found:
        text = f"#slowlink-transcript 1 {mark} host {name} at {answer.started_at:.3f}\n{text}"
    if answer.trouble:
        words = " ".join(answer.trouble.split())
        text += "" if text.endswith("\n") else "\n"
        ended = answer.started_at + answer.seconds
        text += f"#slowlink-frame {mark} lost node at {ended:.3f}: {words}\n"
    return text


def _has(text: str, mark: str) -> list[str]:
    return re.findall(rf"^#slowlink-frame {mark} has ([\w-]{{1,64}}) at ", text, re.MULTILINE)


def _tell_missing(question: Question, bundle: BundleWriter, taken: Taken, mark: str) -> None:
    """After an interrupt: nodes that were not heard are unknown, and the bundle says so."""
    import time

    heard = {*taken.answered, *taken.lost}
    for node in question.allocation.nodes:
        if node.name not in heard:
            answer = Answer(node.name, None, "", "", time.time(), 0.0, "interrupted before it answered")
            _store(bundle, f"{KIND}/{node.name}", question.way, node, answer, mark)
            _note(taken, answer)
