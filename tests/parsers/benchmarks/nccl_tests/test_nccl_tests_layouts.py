"""Every layout that a version prints reads back as what was rendered."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from nccl_tests_texts import one_run, parse, steps, sweep

from slowlink.model.benchmark import CollectiveRun
from slowlink.simulate.nccl_tests_output import LAYOUTS, Node, Run, algbw_gbs, factor, render, render_rows

COLLECTIVES = ("all_reduce", "all_gather", "reduce_scatter", "alltoall", "broadcast", "reduce", "sendrecv", "hypercube")


def assert_same(found: CollectiveRun, run: Run) -> None:
    """Every point of ``run`` is there, with its numbers as far as they are printed."""
    measured = [
        (step.size_bytes, placement, side)
        for _ in range(run.cycles)
        for step in run.steps
        for placement, side in (("out_of_place", step.out_of_place), ("in_place", step.in_place))
        if side is not None
    ]
    assert len(found.points) == len(measured)
    for point, (size, placement, side) in zip(found.points, measured, strict=True):
        assert (point.size_bytes, point.placement, point.datatype) == (size, placement, run.datatype)
        assert point.doubt is None
        algbw = algbw_gbs(run, size, side.time_us)
        assert point.algbw_gbs == pytest.approx(algbw, rel=0.06, abs=0.0051)
        assert point.busbw_gbs == pytest.approx(algbw * factor(run.collective, run.nranks), rel=0.06, abs=0.0051)
        shown = side.time_us / 4 if run.cpu_time else side.time_us
        assert point.time_us == pytest.approx(shown, rel=0.05, abs=0.51)
    assert found.rows == len(run.steps) * run.cycles
    assert found.torn_rows == ()


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("collective", COLLECTIVES)
def test_what_is_rendered_is_read(layout: str, collective: str) -> None:
    run = sweep(collective)
    found = one_run(render(run, layout))
    assert_same(found, run)
    assert found.concluded
    assert found.out_of_bounds == 0
    assert [device.rank for device in found.devices] == list(range(16))
    assert {device.host for device in found.devices} == {"10-0-1-7", "10-0-1-8"}
    assert {device.gpu for device in found.devices} == {"NVIDIA H100 80GB HBM3"}
    assert found.collective in {collective, None}
    assert found.collective is None or found.collective_basis


@pytest.mark.parametrize("layout", [name for name, version in LAYOUTS.items() if version >= (2, 16, 7)])
@pytest.mark.parametrize("collective", COLLECTIVES)
def test_the_program_line_names_the_collective(layout: str, collective: str) -> None:
    found = one_run(render(sweep(collective), layout))
    assert found.collective == collective
    assert found.collective_basis == f"# Collective test starting: {collective}_perf"


@pytest.mark.parametrize("options", [{"per_iteration": True}, {"timestamps": True}, {"cpu_time": True}, {"cycles": 3}])
def test_optional_columns_do_not_move_the_others(options: dict[str, Any]) -> None:
    run = replace(sweep(), **options)
    found = one_run(render(run, "2.19.6"))
    assert_same(found, run)
    if run.cycles > 1:
        assert sorted({point.cycle for point in found.points}) == [0, 1, 2]


def test_per_iteration_columns_are_kept() -> None:
    found = one_run(render(sweep(per_iteration=True), "2.19.6"))
    assert set(found.points[0].iteration_stats) == {"min_us", "max_us", "p99_us", "cv_pct"}


def test_old_error_column_is_a_delta_and_not_wrong_data() -> None:
    text = render(sweep(), "2.9")
    found = one_run([line.replace("0e+00", "5e-07") for line in text])
    assert {point.delta for point in found.points} == {5e-07}
    assert {point.wrong for point in found.points} == {None}


@pytest.mark.parametrize("difference", ["5e-07", "0e+00", "1e+00", "0.0625"])
def test_a_rounding_difference_is_no_number_of_wrong_elements_although_the_header_is_lost(difference: str) -> None:
    found = one_run([line.replace("0e+00", difference) for line in render_rows(sweep(), "2.9")])
    assert {(point.wrong, point.delta) for point in found.points} == {(None, float(difference))}


@pytest.mark.parametrize("count", ["3", "131072", "1.04858e+06", "1e+07"])
def test_whole_numbers_are_wrong_elements_where_the_header_is_lost(count: str) -> None:
    rows = render_rows(sweep(), "2.13.4")
    found = one_run([f"{row.rstrip().removesuffix('0')}{count}" for row in rows])
    assert {point.wrong for point in found.points if point.placement == "in_place"} == {float(count)}


def test_not_checked_is_none_and_checked_is_a_number() -> None:
    found = one_run(render(sweep("alltoall"), "2.13.4"))
    assert {(point.placement, point.wrong) for point in found.points} == {("out_of_place", 0.0), ("in_place", None)}


def test_first_version_prints_milliseconds_without_units() -> None:
    found = one_run(render(sweep(), "1.0"))
    last = found.points[-2]
    assert last.time_us == pytest.approx(30 + last.size_bytes / 180e3, rel=0.001)


def test_versions_are_read() -> None:
    found = one_run(render(sweep(), "2.19.6"))
    assert (found.tool, found.tests_version, found.nccl_version) == ("nccl-tests", "2.19.6", "2.29.7")
    assert one_run(render(sweep(), "rccl")).tool == "rccl-tests"
    assert one_run(render(sweep(), "metax-2.32")).tool == "mccl-tests"


def test_rows_that_begin_with_a_hash_are_rows() -> None:
    lines = render(sweep(), "metax-2.32")
    assert sum(1 for line in lines if line.startswith("#  ") and "float" in line) == 11
    assert one_run(lines).rows == 11


@pytest.mark.parametrize("layout", ["2.13.4", "2.19.6", "metax-2.32"])
@pytest.mark.parametrize("collective", ["all_reduce", "all_gather"])
def test_rows_without_any_header_are_known_by_their_arithmetic(layout: str, collective: str) -> None:
    run = sweep(collective)
    found = one_run(render_rows(run, layout))
    assert_same(found, run)
    assert found.tool == "table"
    assert found.columns == ()


def test_numbers_that_only_look_like_rows_are_nothing() -> None:
    runs, events = parse(
        [f"  {size}  {size // 4}  float  sum  -1  17.0  900.0  33.0  0" for size in (1024, 2048, 4096)]
    )
    assert (runs, events) == ([], [])


sizes = st.lists(st.integers(10, 34), min_size=1, max_size=12, unique=True).map(sorted)


@settings(max_examples=60, deadline=None)
@given(
    layout=st.sampled_from(list(LAYOUTS)),
    collective=st.sampled_from(COLLECTIVES),
    powers=sizes,
    gpus=st.sampled_from([2, 4, 8]),
    gbs=st.floats(0.5, 900),
    latency=st.floats(5, 500),
    datatype=st.sampled_from(["float", "bfloat16", "double", "f8e4m3", "int8"]),
)
def test_any_run_reads_back(
    layout: str, collective: str, powers: list[int], gpus: int, gbs: float, latency: float, datatype: str
) -> None:
    # Without a name, few rows cannot tell hypercube's (n-1)/n of the size from a contradiction.
    assume(collective != "hypercube" or layout.startswith(("2.17", "2.19", "metax")))
    nodes = (Node("n1", 10, gpus), Node("n2", 20, gpus))
    made = steps([1 << power for power in powers], latency_us=latency, gbs=gbs)
    run = Run(collective, nodes, made, datatype=datatype)
    found = one_run(render(run, layout))
    assert_same(found, run)
