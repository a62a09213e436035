from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from slowlink.facts.assemble import assemble
from slowlink.inputs import Input
from slowlink.model.facts import MeasuredSweep
from slowlink.model.source import Ref
from slowlink.parsers.benchmarks.probe_output import ProbeOutput, lateness_of
from slowlink.parsers.reading.read import read

HEAD = {"slowlink_probe": 1, "run": "ab12", "kind": "run", "collective": "all_reduce", "backend": "mpi", "nranks": 2}
HEAD |= {"ranks": [{"rank": 0, "host": "node01", "pid": 1}, {"rank": 1, "host": "node02", "pid": 2}]}
POINT = {"slowlink_probe": 1, "run": "ab12", "kind": "point", "collective": "all_reduce", "size_bytes": 1024}
POINT |= {"placement": "in_place", "time_us": 3.0, "algbw_gbs": 0.34, "busbw_gbs": 0.34, "wrong": 0}
POINT |= {"clock_error_us": [0.0, 5.0], "start_us": [[0.0, 10.0], [4.0, 16.0]], "duration_us": [[5.0, 9.0], [1.0, 3.0]]}


def sweep_of(*records: dict[str, Any]) -> MeasuredSweep:
    text = "".join(json.dumps(record, separators=(",", ":")) + "\n" for record in records)
    facts = assemble(read([Input("probe.jsonl", None, [text.encode()])], workers=1))
    assert facts.sweeps is not None
    (only,) = facts.sweeps.all
    return only


def test_parts_become_one_run() -> None:
    sweep = sweep_of(HEAD, POINT)
    assert (sweep.collective, sweep.nranks, sweep.nnodes, sweep.hosts) == ("all_reduce", 2, 2, ("node01", "node02"))
    assert not sweep.complete, "no end was written"
    assert [point.iterations_us for point in sweep.points] == [(5.0, 9.0)], "of each iteration, the slowest rank"
    late = sweep.run.lateness
    assert [(e.rank, e.host, e.mean_us, e.last_share, e.clock_error_us) for e in late] == [
        (0, "node01", -2.5, 0.0, 0.0),
        (1, "node02", 2.5, 1.0, 5.0),
    ]


def test_two_runs_stay_two() -> None:
    text = "\n".join(json.dumps(record) for record in (HEAD, POINT, HEAD | {"run": "cd34"}, POINT | {"run": "cd34"}))
    facts = assemble(read([Input("probe.jsonl", None, [text.encode()])], workers=1))
    assert facts.sweeps is not None
    assert [len(sweep.points) for sweep in facts.sweeps.all] == [1, 1]


def test_of_rows_of_different_length_nothing_is_said() -> None:
    sweep = sweep_of(HEAD, POINT | {"start_us": [[0.0], [1.0, 2.0]], "duration_us": [[1.0, None], [1.0, 2.0]]})
    assert sweep.run.lateness == ()
    assert [point.iterations_us for point in sweep.points] == [()]


def test_another_schema_is_not_read() -> None:
    assert not ProbeOutput.wants_document(POINT | {"slowlink_probe": 2})
    assert not ProbeOutput.wants_document({"run": "x"})


def test_lateness_is_from_the_middle_rank() -> None:
    starts = [[0.0, 100.0], [1.0, 101.0], [2.0, 102.0], [52.0, 132.0]]
    late = lateness_of(8, "in_place", starts, [], Ref("t", 1))
    assert [entry.mean_us for entry in late] == [-1.5, -0.5, 0.5, 40.5]
    assert [entry.p99_us for entry in late][3] == 50.5
    assert [entry.last_share for entry in late] == [0.0, 0.0, 0.0, 1.0]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=12,
)


@given(
    st.sampled_from(sorted(HEAD.keys() | POINT.keys() | {"out_of_bounds"})),
    json_values,
    st.sampled_from(["run", "point", "end"]),
)
def test_any_value_anywhere_gives_a_result(key: str, value: object, kind: str) -> None:
    document: dict[str, object] = {**HEAD, **POINT, "kind": kind, key: value}
    if ProbeOutput.wants_document(document):
        for run in ProbeOutput().read(document, "t", 1):
            assert run.tool == "slowlink-probe"


def test_what_ranks_waited_for_their_processor() -> None:
    late = sweep_of(HEAD, POINT | {"waited_us": [7.0, 1.0]}).run.lateness
    assert [entry.waited_share for entry in late] == [0.5, 0.25]
    for odd in ([], [7.0], ["x", None], [7.0, 1.0, 2.0], "no list"):
        assert [e.waited_share for e in sweep_of(HEAD, POINT | {"waited_us": odd}).run.lateness] == [None, None]
