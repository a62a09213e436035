"""Answers that differ in numbers and identifiers are cast in moulds, and nothing of the result shows it."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slowlink.inputs import Input
from slowlink.model.records import Records
from slowlink.parsers.reading import source
from slowlink.parsers.reading.once.answers import Answer, Kept
from slowlink.parsers.reading.once.known_moulds import KnownMoulds
from slowlink.parsers.reading.read import read
from slowlink.parsers.reading.scan import Scanner
from slowlink.simulate.node_state.description import SimulatedNode
from slowlink.simulate.node_state.kernel_files import kernel_files
from slowlink.simulate.node_state.nvidia_smi_output import list_gpus, nvlink_state, query
from slowlink.simulate.node_state.rdma_output import ibstat, ibv_devinfo

_NUMBERS = ("0", "1", "7", "43", "65535", "4294967295", "18446744073709551615", "999999999999", "N/A", "-1", "3.25")
_LINES = ("GPU has fallen off the bus", "NVRM: Xid (PCI:0000:13:00): 79, pid=4711, GPU has fallen off the bus.", "")


def bodies(number: int) -> list[str]:
    """What a node's tools print, each by one collector."""
    node = SimulatedNode(f"node{number:02}", number=number, gpus=2)
    chance = random.Random(number)
    files = "".join(f"/{path}:{line}\n" for path, text in kernel_files(node).items() for line in text.splitlines())
    smi = re.sub(r"(GPU Current Temp +: )\d+", lambda found: f"{found[1]}{chance.randint(28, 37)}", query(node))
    smi = re.sub(r"(Average Power Draw +: )[\d.]+", lambda found: f"{found[1]}{chance.uniform(66, 79):.2f}", smi)
    return [smi, files, ibstat(node), ibv_devinfo(node), list_gpus(node) + nvlink_state(node)]


def transcript(node: str, texts: Sequence[str]) -> str:
    """The answer of a node."""
    text = f"#slowlink-transcript 1 c0ffee host {node} at 1795000000.5\n"
    for number, body in enumerate(texts):
        text += f"#slowlink-frame c0ffee begin tool-{number} at 1795000001.{number}\n{body}"
        text += f"#slowlink-frame c0ffee end tool-{number} ran at 1795000002.{number} status 0\n"
    return text + "#slowlink-transcript 1 c0ffee done at 1795000003.5\n"


def read_nodes(nodes: Sequence[Sequence[str]]) -> Records:
    texts = [(f"n{number}/stdout", transcript(f"node{number:02}", each)) for number, each in enumerate(nodes)]
    return read([Input(name, None, [text.encode()]) for name, text in texts], workers=1)


class _NoMoulds(KnownMoulds):
    def met(self, *_: object) -> None:
        """No answer becomes a mould."""


def with_moulds(moulds: KnownMoulds, nodes: Sequence[Sequence[str]]) -> tuple[Records, int]:
    """What is read of the nodes, and how many answers had to be read for it, those of the learning not counted."""
    count = 0
    as_it_is = source._read_answer

    def counted(name: str, place: str, scanner: Scanner, lines: Sequence[str], fed: object) -> Answer | None:
        nonlocal count
        count += 1
        return as_it_is(name, place, scanner, lines, fed)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "KEPT", Kept())
        patch.setattr(source, "MOULDS", moulds)
        patch.setattr(source, "_read_answer", counted)
        return read_nodes(nodes), count


def mutated(text: str, chance: random.Random) -> str:
    """With one thing changed somewhere."""
    lines = text.splitlines()
    place = chance.randrange(len(lines))
    kind = chance.choice(("number", "number", "number", "hex", "gone", "new", "swapped", "word"))
    if kind == "gone":
        del lines[place]
    elif kind == "new":
        lines[place] = chance.choice(_LINES)
    elif kind == "swapped":
        other = chance.randrange(len(lines))
        lines[place], lines[other] = lines[other], lines[place]
    elif kind == "word":
        lines[place] = re.sub(r"[A-Za-z]{4,}$", "Unknown", lines[place])
    elif kind == "hex":
        some = "".join(chance.choice("0123456789abcdef") for _ in range(8))
        lines[place] = re.sub(r"[0-9a-f]{8}", chance.choice((some, "deadbeef", "00000000")), lines[place], count=1)
    else:
        numbers = list(re.finditer(r"\d+(?:\.\d+)?", lines[place]))
        if numbers:
            found = chance.choice(numbers)
            lines[place] = f"{lines[place][: found.start()]}{chance.choice(_NUMBERS)}{lines[place][found.end() :]}"
    return "\n".join(lines) + "\n"


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 1 << 32), st.integers(0, 4))
def test_what_is_cast_is_as_if_it_were_read(seed: int, which: int) -> None:
    chance = random.Random(seed)
    nodes = []
    for number in range(30):
        text = bodies(number)[which]
        for _ in range(chance.choice((0, 0, 1, 1, 3)) if number > 6 else 0):
            text = mutated(text, chance)
        nodes.append([text])
    read_each, _ = with_moulds(_NoMoulds(), nodes)
    cast, _ = with_moulds(KnownMoulds(), nodes)
    assert cast == read_each


@pytest.mark.parametrize("which", range(5))
def test_of_a_fleet_few_answers_are_read(which: int) -> None:
    nodes = [[bodies(number)[which]] for number in range(40)]
    read_each, every = with_moulds(_NoMoulds(), nodes)
    cast, few = with_moulds(KnownMoulds(), nodes)
    assert cast == read_each
    assert every == 40
    assert few < 20


def test_a_number_whose_value_decides_is_no_hole() -> None:
    """That an answer shows fewer GPUs than it says are there makes it a cut one, whichever answers came before."""
    nodes = [[bodies(number)[0]] for number in range(12)]
    nodes += [
        [bodies(number)[0].replace("Attached GPUs                             : 2", f"Attached GPUs : {number}")]
        for number in range(2, 9)
    ]
    read_each, _ = with_moulds(_NoMoulds(), nodes)
    cast, _ = with_moulds(KnownMoulds(), nodes)
    assert cast == read_each
    assert sum(each.problem is not None for each in cast.sources) == 6


def test_equal_identifiers_stay_equal() -> None:
    """Where two GPUs have one UUID by mistake, and where they have not."""
    texts = [bodies(number)[4] for number in range(12)]
    uuids = [re.findall(r"GPU-[0-9a-f-]{36}", text) for text in texts]
    texts += [text.replace(own[1], own[0]) for text, own in zip(texts, uuids, strict=True)]
    read_each, _ = with_moulds(_NoMoulds(), [[text] for text in texts])
    cast, _ = with_moulds(KnownMoulds(), [[text] for text in texts])
    assert cast == read_each


def test_moulds_are_kept_within_bounds() -> None:
    moulds = KnownMoulds(most_lines=300)
    for number in range(10):
        with_moulds(moulds, [[each] for each in bodies(number)])
    assert sum(len(mould.lines) for kind in moulds._kinds.values() for mould in kind.moulds) <= 300
