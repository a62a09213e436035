"""Equal answers of many nodes are read once, and nothing of the result shows it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slowlink.facts.state import state
from slowlink.inputs import Input
from slowlink.model.records import Records
from slowlink.model.source import Ref
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.interface import Record, Use
from slowlink.parsers.forms.lines import Dialect
from slowlink.parsers.reading import source
from slowlink.parsers.reading.once.answers import Answer, Kept
from slowlink.parsers.reading.once.known_moulds import KnownMoulds
from slowlink.parsers.reading.read import read
from slowlink.parsers.reading.scan import Scanner
from slowlink.parsers.reading.scanned import Candidate
from slowlink.simulate.node_state.description import SimulatedNode
from slowlink.simulate.node_state.kernel_files import kernel_files
from slowlink.simulate.node_state.nvidia_smi_output import query

NODE = SimulatedNode("node01", number=1, gpus=2)
FILES = "".join(f"/{path}:{line}\n" for path, text in kernel_files(NODE).items() for line in text.splitlines())
BODIES = (
    query(NODE),
    FILES,
    "[Mon Nov  2 10:00:00 2026] NVRM: Xid (PCI:0000:13:00): 79, pid=4711, GPU has fallen off the bus.\n" * 5,
    "$ hostname\nnode02\n$ cat /proc/sys/kernel/numa_balancing\n1\n\n\n",
    "Test     Result\nDGX/PCIe  FAIL\nDGX/NVLink PASS\nDGX/Memory PASS\n\n",
    '{"a": 1,\n "b": [1,\n 2]\n}\n\n\n',
    "node01:1:1 [0] NCCL INFO NET/IB : No device found.\n" * 5,
    "node01 ERROR the mill stands still\nnode01 ERROR the wheel is broken\nwhat\never\nelse\n",
    "#slowlink-frame ffff end other ran at 1.0 status 0\n1\n2\n3\n4\n",
    "no line of this\nis anybody's 17\nand there are\nfive of them\n\n",
)


def transcript(node: str, bodies: Sequence[str], ends: bool = True) -> str:
    """What a node answers, each body by one collector."""
    text = f"#slowlink-transcript 1 c0ffee host {node} at 1795000000.5\n"
    for number, body in enumerate(bodies):
        text += f"#slowlink-frame c0ffee begin tool-{number} at 1795000001.{number}\n{body}"
        text += f"#slowlink-frame c0ffee end tool-{number} ran at 1795000002.{number} status 0\n"
    return text + "#slowlink-transcript 1 c0ffee done at 1795000003.5\n" if ends else text.rpartition("#")[0]


def read_nodes(nodes: Sequence[Sequence[str]], ends: bool = True) -> Records:
    texts = [(f"n{number}/stdout", transcript(f"node{number:02}", each, ends)) for number, each in enumerate(nodes)]
    return read([Input(name, None, [text.encode()]) for name, text in texts], workers=1)


def fresh(monkeypatch: pytest.MonkeyPatch, kept: Kept) -> None:
    monkeypatch.setattr("slowlink.parsers.reading.source.KEPT", kept)
    monkeypatch.setattr("slowlink.parsers.reading.source.MOULDS", _NoMoulds())


class _NoMoulds(KnownMoulds):
    def met(self, *_: object) -> None:
        """No answer becomes a mould."""


class _NothingKept(Kept):
    def met(self, key: object, answer: Answer) -> None:
        """Every answer is read."""


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from(BODIES), max_size=5), min_size=4, max_size=8),
    st.integers(1, 400),
    st.booleans(),
)
def test_what_is_read_once_is_as_if_it_were_read_each_time(nodes: list[list[str]], most: int, ends: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        fresh(patch, _NothingKept())
        each_time = read_nodes(nodes, ends)
        fresh(patch, Kept(most))
        assert read_nodes(nodes, ends) == each_time


def test_the_third_equal_answer_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    read_so_far: list[int] = []
    as_it_is = source._read_answer

    def counted(name: str, place: str, scanner: Scanner, lines: Sequence[str], *others: object) -> Answer | None:
        read_so_far.append(len(lines))
        return as_it_is(name, place, scanner, lines, *others)  # type: ignore[arg-type]

    monkeypatch.setattr(source, "_read_answer", counted)
    fresh(monkeypatch, Kept())
    found = read_nodes([[FILES]] * 5)
    assert len(read_so_far) == 2
    assert len({reading.host for reading in found.readings}) == 5
    assert len({reading.ref.source for reading in found.readings}) == 5


def test_evidence_stands_in_the_line_that_it_names() -> None:
    nodes = [[FILES], [BODIES[2], FILES], [BODIES[0], FILES], [FILES, BODIES[2], FILES]]
    lines = {f"n{at}/stdout": transcript(f"node{at:02}", each).splitlines() for at, each in enumerate(nodes)}
    found = read_nodes(nodes)
    refs = [*(each.ref for each in found.readings), *(each.ref for each in found.events)]
    assert len({ref.source for ref in refs}) == 4
    assert all(lines[ref.source][ref.line - 1].strip() == ref.text.strip() for ref in refs)


def test_what_stands_in_a_frame_is_placed_as_it_is_read() -> None:
    """With the node and the time that it would get later, and where a prompt in it names another node, later."""
    records = read_nodes([[FILES], [BODIES[3]], [BODIES[0], BODIES[7]]])
    later = msgspec.structs.replace(
        records, readings=tuple(msgspec.structs.replace(each, host=None, at=None) for each in records.readings)
    )
    assert {each.host for each in records.readings} == {"node00", None, "node02"}
    assert state(records) == state(later)


def test_no_answer_goes_on_with_what_another_left_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tool that ends inside a GPU, and another one that prints fields as if they were of that GPU."""
    head, mark, rest = query(NODE).partition("    PCI\n")

    def of_the_second() -> list[Reading]:
        found = read_nodes([[head, mark + rest.partition("GPU 0000")[0]]])
        return [each for each in found.readings if each.ref.line > head.count("\n") + 3 and each.part.kind == "gpu"]

    assert all(each.part.name.startswith("?") for each in of_the_second())
    monkeypatch.setattr("slowlink.parsers.reading.source.is_transcript", lambda _: False)
    assert not all(each.part.name.startswith("?") for each in of_the_second())


@pytest.mark.parametrize(
    ("value", "host", "is_anybodys"),
    [("1", None, True), ("node07", None, False), ("on node07/stdout", None, False), ("1", "node07", False)],
)
def test_what_names_its_own_node_stands_for_no_other(value: str, host: str | None, is_anybodys: bool) -> None:
    record: Record = Reading("numa-balancing", Part("node"), value, Ref("n7/stdout", 3, "x"), host)
    answer = Answer([record], {}, {}, 1, 1, {})
    assert answer.is_anybodys("node07/stdout", "node07") is is_anybodys


def test_answers_are_kept_within_bounds() -> None:
    kept = Kept(most_lines=10)
    for number in range(20):
        key = Dialect(), str(number)
        for _ in range(2):
            kept.met(key, Answer([], {}, {}, 4, 4, {}))
        assert kept.get(key) is not None
    assert sum(kept.get((Dialect(), str(number))) is not None for number in range(20)) <= 2


def test_a_transcript_is_not_searched_for_prose(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is no document, and of a thousand nodes that search would be a third of the work."""

    def never(*_: object) -> list[Record]:
        raise AssertionError

    monkeypatch.setattr("slowlink.parsers.reading.read.described_passages", never)
    assert read_nodes([[FILES]]).readings


def test_a_frame_is_for_the_parser_of_frames_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its words are slowlink's own: they may look like a complaint, and they end what a table of an answer began."""
    end = "#slowlink-frame c0ffee end tool-0 ran at 1795000002.0 status 0"
    frames = f"{end}\n#slowlink-frame c0ffee skipped imex at 1795000002.5: GPU 3 has fallen off the bus\n"
    text = transcript("node01", [FILES, "no line of this\n"]).replace(f"{end}\n", frames)
    offered: list[str] = []
    offer = source.Source._offer

    def noted(reader: source.Source, candidate: Candidate) -> Use:
        offered.append(candidate.line.text)
        return offer(reader, candidate)

    monkeypatch.setattr(source.Source, "_offer", noted)
    found = read([Input("n0/stdout", None, [text.encode()])], workers=1)
    assert [each.collector for each in found.collected] == ["tool-0", "imex", "tool-1"]
    refs = [each.ref for each in found.observations] + [each.ref for each in found.events]
    assert not [ref for ref in refs if "imex" in ref.text]
    assert not [line for line in offered if line.startswith("#slowlink-frame") and "imex" in line]
    assert found.sources[0].lines == text.count("\n")
