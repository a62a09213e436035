"""What equal readings hold in common is one object, and nothing that they say changes."""

from __future__ import annotations

import pickle
from copy import deepcopy

from hypothesis import given
from hypothesis import strategies as st

from slowlink.inputs import Input
from slowlink.model.source import Ref, SourceStats
from slowlink.model.state import Collected, Part, Reading
from slowlink.parsers.reading.read import read, read_one
from slowlink.parsers.reading.sent_back import FoundParcels, Read, alone, shared_among
from slowlink.simulate.node_state.description import SimulatedNode
from slowlink.simulate.node_state.nvidia_smi_output import query

STATS = SourceStats("a", (), 0, 0, 0, 0, 0)
TEXTS = st.sampled_from(["1", "a", "gpu", ""])
READINGS = st.builds(
    Reading,
    TEXTS,
    st.builds(Part, TEXTS, TEXTS),
    st.sampled_from([True, 1, 1.0, False, 0, 0.0, "1", "a", float("nan")]),
    st.builds(Ref, TEXTS, st.integers(0, 3), TEXTS),
)


OTHERS = st.builds(Collected, TEXTS, TEXTS, TEXTS, st.builds(Ref, TEXTS, st.integers(0, 3), TEXTS))
FOUND = st.builds(
    lambda records, path, digest: (records, SourceStats(path, (), 0, 0, 0, 0, 0), digest),
    st.lists(READINGS | OTHERS),
    TEXTS,
    st.binary(),
)


@given(st.lists(st.lists(FOUND)))
def test_records_come_out_of_their_parcels_as_they_went_in(batches: list[list[Read]]) -> None:
    before = repr(batches)
    parcels = FoundParcels()
    sent = [pickle.dumps(parcels.packed(batch)) for batch in batches]
    assert repr([parcels.unpacked(pickle.loads(each)) for each in sent]) == before


def test_lines_with_several_readings_are_one_object() -> None:
    line = Ref("a", 1, "text")
    ((found, *_),) = shared_among([([Reading("a", Part("gpu", str(n)), n, line) for n in (1, 2)], STATS, b"")])
    one, two = (record.ref for record in found if isinstance(record, Reading))
    assert one is two


def test_nodes_that_answer_alike_are_held_once_and_read_as_each_alone() -> None:
    nodes = [query(SimulatedNode(f"gpu{number:02}", number=number)).encode() for number in (1, 2)]
    inputs = [Input(f"gpu{number:02}.txt", None, [text]) for number, text in enumerate(nodes, 1)]
    one_by_one = [
        record for item in deepcopy(inputs) for record in alone(read_one(item, 1))[0] if isinstance(record, Reading)
    ]
    together = read(inputs, 1).readings
    assert list(together) == one_by_one
    first, second = together[: len(together) // 2], together[len(together) // 2 :]
    assert len(first) > 100
    assert all(one.part is other.part for one, other in zip(first, second, strict=True))
    assert all(
        one.ref.text is other.ref.text
        for one, other in zip(first, second, strict=True)
        if one.ref.text == other.ref.text
    )
