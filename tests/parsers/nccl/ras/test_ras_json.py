"""RAS's answer as JSON: the same facts as from text, rank by rank."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

import ras_answers as ras
from slowlink.inputs import Input
from slowlink.model.hang import RasSnapshot
from slowlink.parsers.nccl.ras import DOCUMENT
from slowlink.parsers.reading.read import read


def answers(*documents: dict[str, object]) -> tuple[RasSnapshot, ...]:
    text = "\n".join(json.dumps(each, indent=2) for each in documents)
    return read([Input("ras.json", None, [text.encode()])], workers=1).ras


def test_a_whole_answer() -> None:
    ranks = [ras.rank(n, {"AllReduce": 9, "Broadcast": 1}) for n in range(6)]
    (found,) = answers(ras.document(ranks, [ras.missing_rank(6, True, False), ras.missing_rank(7, False, True)]))
    assert (found.nccl, found.timestamp, found.count, found.timeouts) == ("2.29.2", "2026-01-02 03:04:05", 1, 1)
    assert (found.nodes, found.processes, found.gpus, found.complete) == (2, 8, 8, True)
    (communicator,) = found.communicators
    assert (communicator.hash, communicator.size, communicator.present) == ("c0ffee12345678", 8, 6)
    assert communicator.mismatches == ()
    (error,) = communicator.errors
    assert (error.kind, error.count) == ("missing-rank", 2)
    assert [(p.rank, p.pid, p.host, p.responsive, p.dead) for p in error.members] == [
        (6, 4106, "10.1.0.9", False, False),
        (7, 4107, "10.1.0.9", True, True),
    ]
    assert error.members[0].ref.text == "rank 6, process 4106 on 10.1.0.9: unresponsive true, considered_dead false"
    assert (found.groups[0].status, found.groups[0].errors) == ("RUNNING", ("INCOMPLETE",))


def test_counts_that_differ() -> None:
    ranks = [ras.rank(n, {"AllReduce": 8 if n == 2 else 9, "Reduce": 0}) for n in range(4)]
    (found,) = answers(ras.document(ranks))
    (mismatch,) = found.communicators[0].mismatches
    assert (mismatch.collective, mismatch.kind) == ("AllReduce", "operations")
    assert [(s.ranks, s.operation, [p.rank for p in s.members]) for s in mismatch.shares] == [
        (3, 9, [0, 1, 3]),
        (1, 8, [2]),
    ]
    assert found.groups[0].errors == ("MISMATCH",)


def test_states_and_errors_of_ranks() -> None:
    ranks = [
        ras.rank(0, {}, init_state=7),
        ras.rank(1, {}, async_error=6),
        ras.rank(2, {}, abort_flag=True),
        ras.rank(3, {}, finalize_called=True),
    ]
    (found,) = answers(ras.document(ranks))
    assert found.groups[0].status == "ABORT,FINALIZE,INIT,RUNNING"
    assert [(e.kind, e.count, e.codes) for e in found.communicators[0].errors] == [
        ("async-error", 1, ("ncclRemoteError",))
    ]


def test_an_answer_that_is_cut_says_so() -> None:
    text = json.dumps(ras.document([ras.rank(n, {"AllReduce": 9}) for n in range(4)]), indent=1)
    (found,) = read([Input("ras.json", None, [text[: len(text) // 2].encode()])], workers=1).ras
    assert not found.complete


def test_other_documents_are_not_taken() -> None:
    values: tuple[object, ...] = ({}, [], None, {"communicators": []}, {"ras": {}}, "communicators")
    for value in values:
        assert not DOCUMENT.wants_document(value)


LOOSE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["ranks", "missing_ranks", "status", "collective_counts", "rank", "hash", "size"]), inner
        )
    ),
    max_leaves=20,
)


@given(LOOSE, LOOSE)
@settings(max_examples=100, deadline=None)
def test_any_value_gives_an_answer(comms: object, more: object) -> None:
    for value in ({"communicators": comms, "ras": more}, {"communicators": [comms, more], "ras": comms}):
        assert DOCUMENT.wants_document(value)
        assert all(isinstance(each, RasSnapshot) for each in DOCUMENT().read(value, "x", 1))
