"""Answers like another one travel in few words, from whatever process, and come out as they were read."""

from __future__ import annotations

import os
import pickle
from collections.abc import Sequence

import pytest

from slowlink.inputs import Input
from slowlink.model.state import Reading
from slowlink.parsers.reading import sent_back, side_by_side
from slowlink.parsers.reading import source as of_source
from slowlink.parsers.reading.engine import Workers
from slowlink.parsers.reading.once.alike import Alike, Number, spelt_out
from slowlink.parsers.reading.once.answers import Kept
from slowlink.parsers.reading.once.known_moulds import KnownMoulds
from slowlink.parsers.reading.read import found_in, joined, read, read_one
from slowlink.parsers.reading.sent_back import FoundParcels, Read, alone
from slowlink.parsers.reading.side_by_side import LostError
from slowlink.simulate.node_state.description import SimulatedNode
from slowlink.simulate.node_state.nvidia_smi_output import query


def inputs(count: int) -> list[Input]:
    found = []
    for number in range(count):
        node = f"node{number:02}"
        text = f"#slowlink-transcript 1 c0ffee host {node} at 1795000000.5\n"
        for tool in ("one", "two"):
            text += f"#slowlink-frame c0ffee begin {tool} at 1795000001.0\n"
            text += query(SimulatedNode(node, number=number, gpus=2))
            text += f"#slowlink-frame c0ffee end {tool} ran at 1795000002.0 status 0\n"
        text += "#slowlink-transcript 1 c0ffee done at 1795000003.5\n"
        found.append(Input(f"{node}/stdout", None, [text.encode()]))
    return found


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> list[Read]:
    """What is read of twelve nodes: the last ones are like the first."""
    monkeypatch.setattr(of_source, "KEPT", Kept())
    monkeypatch.setattr(of_source, "MOULDS", KnownMoulds())
    return [read_one(item, 1) for item in inputs(12)]


def blocks(found: Sequence[Read]) -> list[Alike]:
    return [each for records, *_ in found for each in records if isinstance(each, Alike)]


def test_what_is_alike_is_sent_once(known: list[Read]) -> None:
    assert len(blocks(known[-3:])) == 6
    parcels = FoundParcels()
    first, again = (pickle.dumps(parcels.packed(known[-2:])) for _ in range(2))
    assert len(again) < len(first) / 2
    out = [parcels.unpacked(pickle.loads(each)) for each in (first, again)]
    spelt = [[repr(alone(found)) for found in each] for each in out]
    assert spelt[0] == spelt[1] == [repr(alone(each)) for each in known[-2:]]
    assert parcels.packed(known[-2:]).originals == {}
    assert FoundParcels().packed(known[-2:]).originals  # another receiver knows nothing


def test_what_was_read_of_a_node_is_of_its_lines(known: list[Read]) -> None:
    readings = [each for each in spelt_out(known[-1][0]) if isinstance(each, Reading)]
    text = b"".join(inputs(12)[-1].chunks()).decode().splitlines()
    assert len(readings) > 50
    assert all(each.ref.text == text[each.ref.line - 1] for each in readings)
    assert {(each.ref.source, each.host) for each in readings} == {("node11/stdout", "node11")}


def test_a_parcel_that_speaks_of_a_lost_one_is_no_parcel(known: list[Read]) -> None:
    parcels = FoundParcels()
    parcels.packed(known[-1:])
    with pytest.raises(LostError):
        parcels.unpacked(parcels.packed(known[-1:]))


def test_the_oldest_is_forgotten_and_then_sent_again(known: list[Read]) -> None:
    """What was used last is not the oldest."""
    parcels, read_last = FoundParcels(), known[-1:]
    whole = repr([alone(each) for each in read_last])
    (number, *_) = {each.original.number for each in blocks(read_last)}
    assert repr([*map(alone, parcels.unpacked(parcels.packed(read_last)))]) == whole
    parcels._originals = {number: parcels._originals[number], (b"", 0, 0): parcels._originals[number]}
    parcels._most = len(parcels._originals[number].readings)
    assert repr([*map(alone, parcels.unpacked(parcels.packed(read_last)))]) == whole
    assert [*parcels._originals] == [number]
    parcels._most = 0
    parcels.unpacked(parcels.packed(read_last))
    assert parcels._originals == {}
    with pytest.raises(LostError):
        parcels.unpacked(parcels.packed(read_last))
    assert repr([*map(alone, parcels.unpacked(parcels.packed(read_last)))]) == whole


@pytest.mark.parametrize("workers", [1, 2])
def test_what_was_forgotten_is_asked_for_in_full(monkeypatch: pytest.MonkeyPatch, workers: int) -> None:
    monkeypatch.setattr(side_by_side, "BATCH_BYTES", 1)
    whole = read(inputs(12), workers=workers)
    monkeypatch.setattr(FoundParcels.__init__, "__defaults__", (0,))
    assert read(inputs(12), workers=workers) == whole


def test_what_a_lost_parcel_spoke_of_is_read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker may have sent it in an answer that got lost: another worker was asked again."""
    here, as_it_is = os.getpid(), sent_back._Given.to
    _READ.clear()

    def as_if_all_was_sent(self: sent_back._Given, receiver: bytes) -> set[Number]:
        return as_it_is(self, receiver) if os.getpid() == here else _Everything()

    monkeypatch.setattr(side_by_side, "BATCH_BYTES", 1)
    monkeypatch.setattr(sent_back._Given, "to", as_if_all_was_sent)
    found = joined(found_in(inputs(12), 2, None, _noted))
    assert found == read(inputs(12), workers=1)
    assert _READ


_READ: list[str] = []
"""By this process."""


def _noted(item: Input, workers: Workers) -> Read:
    _READ.append(item.name)
    return read_one(item, workers)


class _Everything(set[Number]):
    def __contains__(self, _: object) -> bool:
        return True


@pytest.mark.parametrize("workers", [2, 3])
def test_nodes_are_read_alike_by_any_number_of_processes(workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(side_by_side, "BATCH_BYTES", 1)
    assert read(inputs(12), workers=workers) == read(inputs(12), workers=1)
