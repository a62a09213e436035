"""The ``-J`` report with the quirks of its three versions."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slowlink.model.benchmark import CollectiveRun
from slowlink.parsers.benchmarks.nccl_tests import DOCUMENT


def side(size: int, time: float, nwrong: float | None = 0.0) -> dict[str, Any]:
    algbw = size / time / 1e3
    return {"time": time, "alg_bw": algbw, "bus_bw": algbw * 1.75, "nwrong": nwrong}


def report(**changes: Any) -> dict[str, Any]:
    results = [
        {
            "size": size,
            "count": size // 4,
            "type": "float",
            "redop": "   sum",
            "root": "    -1",
            "out_of_place": side(size, size / 2e5),
            "in_place": side(size, size / 1.9e5, None),
        }
        for size in (1 << 28, 1 << 30)
    ]
    device = {
        "rank": 0,
        "group": 0,
        "pid": 77,
        "hostname": "n1",
        "device": 0,
        "device_hex": "0000:1b:00",
        "device_info": "NVIDIA H200",
    }
    made = {
        "version": 3,
        "args": ["/opt/build/all_reduce_perf", "-g", "8"],
        "nccl_version": 22907,
        "config": {"nthreads": 1, "ngpus": 8, "minimum_bytes": 8, "parallel_init": "false", "devices": [device]},
        "results": results,
        "out_of_bounds": {"count": 0, "okay": "true"},
        "average_bus_bandwidth": {"bandwidth": 341.25, "okay": "unchecked"},
        "errors": [],
    }
    return made | changes


def read(value: object) -> CollectiveRun:
    assert DOCUMENT.wants_document(value)
    (run,) = DOCUMENT().read(value, "r.json", 1)
    return run


def test_everything_is_read() -> None:
    run = read(report())
    assert (run.tool, run.collective, run.nccl_version, run.rows) == ("nccl-tests", "all_reduce", "2.29.7", 2)
    first, second = run.points[:2]
    assert (first.root, first.redop, first.wrong, second.wrong) == (-1, "sum", 0.0, None)
    assert first.time_us == pytest.approx((1 << 28) / 2e5)
    assert {point.doubt for point in run.points} == {None}
    assert (run.average_busbw_gbs, run.average_failed, run.out_of_bounds, run.concluded) == (341.25, False, 0, True)


def test_one_device_entry_stands_for_all_gpus_of_its_process() -> None:
    run = read(report())
    assert (len(run.devices), run.nranks_printed, run.nnodes_printed, run.devices_elided) == (1, 8, 1, True)


def test_misspelt_average_and_truth_as_text() -> None:
    old = report(out_of_bounds={"count": 3, "okay": "false"})
    del old["average_bus_bandwidth"]
    old["average_bus_bandwidith"] = {"bandwidith": 12.5, "okay": "false"}
    run = read(old)
    assert (run.average_busbw_gbs, run.average_failed, run.out_of_bounds_failed) == (12.5, True, True)


def test_nan_is_no_number() -> None:
    run = read(report(results=[], average_bus_bandwidth={"bandwidth": "nan", "okay": "unchecked"}))
    assert (run.average_busbw_gbs, run.header_only) == (None, True)


def test_times_of_each_iteration() -> None:
    value = report()
    value["results"][0]["out_of_place_per_iter"] = {"min_us": 9.0, "p99_us": 12.0, "times_us": [9.0, 10.0, 12.0]}
    first, second = read(value).points[:2]
    assert (first.iterations_us, first.iteration_stats) == ((9.0, 10.0, 12.0), {"min_us": 9.0, "p99_us": 12.0})
    assert second.iterations_us == ()


def test_cpu_time_is_not_held_against_the_bandwidth() -> None:
    value = report()
    for result in value["results"]:
        result["out_of_place"]["cpu_time"] = result["out_of_place"].pop("time") / 50
    assert {point.doubt for point in read(value).points} == {None}


def test_a_report_that_broke_off_is_not_concluded() -> None:
    value = report(__truncated__=True)
    del value["average_bus_bandwidth"], value["out_of_bounds"]
    run = read(value)
    assert (run.rows, run.concluded) == (2, False)


def test_contradictions_are_doubted() -> None:
    value = report()
    value["results"][1]["in_place"]["alg_bw"] = 3.0
    assert [bool(point.doubt) for point in read(value).points] == [False, False, False, True]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(sorted(report())), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(["config", "results", "args", "out_of_bounds", "nccl_version", "errors"]), json_values)
def test_odd_values_never_raise(key: str, value: object) -> None:
    odd = report(**{key: value})
    DOCUMENT.wants_document(value)
    list(DOCUMENT().read(odd, "r.json", 1))
    list(DOCUMENT().read(value, "r.json", 1))
