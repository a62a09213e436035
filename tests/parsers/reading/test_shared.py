"""What equal readings hold in common is one object, and nothing that they say changes."""

from __future__ import annotations

from copy import deepcopy

from hypothesis import given
from hypothesis import strategies as st

from slowlink.inputs import Input
from slowlink.model.source import Ref
from slowlink.model.state import Part, Reading
from slowlink.parsers.reading.read import read, read_one
from slowlink.parsers.reading.shared import Shared
from slowlink.simulate.node_state.description import SimulatedNode
from slowlink.simulate.node_state.nvidia_smi_output import query

TEXTS = st.sampled_from(["1", "a", "gpu", ""])
READINGS = st.builds(
    Reading,
    TEXTS,
    st.builds(Part, TEXTS, TEXTS),
    st.sampled_from([True, 1, 1.0, False, 0, 0.0, "1", "a", float("nan")]),
    st.builds(Ref, TEXTS, st.integers(0, 3), TEXTS),
)


@given(st.lists(READINGS))
def test_readings_say_what_they_said(readings: list[Reading]) -> None:
    before = repr(readings)
    Shared().share(readings)
    assert repr(readings) == before


def test_nodes_that_answer_alike_are_held_once_and_read_as_each_alone() -> None:
    nodes = [query(SimulatedNode(f"gpu{number:02}", number=number)).encode() for number in (1, 2)]
    inputs = [Input(f"gpu{number:02}.txt", None, [text]) for number, text in enumerate(nodes, 1)]
    alone = [record for item in deepcopy(inputs) for record in read_one(item, 1)[0] if isinstance(record, Reading)]
    together = read(inputs, 1).readings
    assert list(together) == alone
    first, second = together[: len(together) // 2], together[len(together) // 2 :]
    assert len(first) > 100
    assert all(one.part is other.part for one, other in zip(first, second, strict=True))
    assert all(
        one.ref.text is other.ref.text
        for one, other in zip(first, second, strict=True)
        if one.ref.text == other.ref.text
    )
