"""Every sweep of an input beside what it should be, or why not."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from slowlink.catalog.given import given_hardware
from slowlink.expect.assemble import assemble_expectations
from slowlink.expect.plateau import best_by_size, reaches_plateau
from slowlink.facts.assemble import assemble
from slowlink.inputs import Input
from slowlink.model.expectations import Expectations, SweepExpectation
from slowlink.model.facts import MeasuredSweep, NicGroup
from slowlink.parsers.reading.read import read
from slowlink.simulate.job import SimulatedJob, job_log
from slowlink.simulate.nccl_log_output import LoggedCluster

MIB = 1 << 20
TWO = LoggedCluster(hosts=("node06", "node07"), env={"NCCL_ALGO": "Ring"})
ONE = LoggedCluster(hosts=("node06",))


def expected(*texts: str, nics: str | None = None, system: str | None = None) -> Expectations:
    inputs = [Input(f"job{n or ''}.log", None, [text.encode()]) for n, text in enumerate(texts)]
    return assemble_expectations(assemble(read(inputs, workers=1), given_hardware(nics=nics, system=system)))


def judged(text: str, nics: str | None = None) -> SweepExpectation:
    (only,) = expected(text, nics=nics).sweeps
    return only


def log(plateau_gbs: float, cluster: LoggedCluster = TWO, **more: object) -> str:
    return job_log(SimulatedJob(cluster, plateau_gbs=plateau_gbs, **more))  # type: ignore[arg-type]


def test_given_nics_bound_the_ring() -> None:
    found = judged(log(46.0), nics="2x200")
    assert not found.assumed
    assert found.busbw.high == pytest.approx(49.05)
    assert found.busbw.low < found.warn_below_gbs < found.busbw.value < found.busbw.high <= found.ceiling_gbs
    assert [e.quantity for e in found.algorithms] == ["busbw:ring"], "NCCL_ALGO=Ring leaves nothing else"
    assert "2 x 200 Gb/s" in found.busbw.basis


def test_nothing_forced_leaves_nccl_the_choice() -> None:
    found = judged(log(80.0, replace(TWO, env={})), nics="2x200")
    assert {e.quantity for e in found.algorithms} == {"busbw:ring", "busbw:tree"}
    assert found.busbw.high > 49.05


def test_unknown_nics_leave_it_open_what_the_number_means() -> None:
    found = expected(log(46.0))
    assert found.sweeps == ()
    (unsettled,) = found.open
    assert unsettled.missing == ("nics",)
    largest, *smaller = unsettled.possibilities
    assert largest.busbw.low > 46.0
    assert [p.busbw.high for p in smaller if p.warn_below_gbs <= 46.0] == pytest.approx([49.05])


def test_the_largest_network_of_such_nodes_is_healthy_without_being_told() -> None:
    (found,) = expected(log(190.0)).sweeps
    assert (found.largest, found.assumed) == (True, False)
    assert found.busbw.high == pytest.approx(196.2, rel=0.01)


def test_ports_that_the_log_names_are_at_least_so_many() -> None:
    """Eight HCAs of 100 Gb/s, the slowest that such nodes are built with, carry four times what was measured."""
    named = replace(TWO, hcas=tuple(f"mlx5_{port}" for port in range(8)))
    (found,) = expected(log(22.0, named)).sweeps
    assert found.assumed
    assert found.busbw.low > 22.0


def test_the_number_of_hcas_and_what_was_measured_tell_their_rate() -> None:
    """Eight HCAs of 100 Gb/s carry 98 GB/s in a ring: where 120 were measured each has 200."""
    named = replace(TWO, hcas=tuple(f"mlx5_{port}" for port in range(8)))
    (found,) = expected(log(120.0, named)).sweeps
    assert (found.hardware.nics, found.assumed) == ((NicGroup(8, 200.0),), False)
    assert found.busbw.low > 120.0
    assert len(expected(log(80.0, named)).open) == 1, "either rate carries that"


def test_a_number_below_every_network_that_can_carry_it_is_low_on_each() -> None:
    """More than four NICs of 200 Gb/s carry, and less than eight of them do on healthy nodes."""
    (found,) = expected(log(120.0)).sweeps
    assert (found.assumed, found.hardware.nics) == (True, (NicGroup(8, 200.0),))
    assert found.busbw.low > 120.0
    assert found.busbw.basis.endswith("; the least network of such nodes that can carry what was measured")


def test_ranks_that_leave_gpus_out_may_use_more_nics_than_counted() -> None:
    half = expected(log(60.0, replace(TWO, gpus=4)))
    assert half.sweeps == ()
    assert len(half.open) == 1


ALONE = LoggedCluster(hosts=("node06", "node07"), gpus=1)
"""Two nodes with one GPU and four HCAs each; the channels of a GPU use the first."""


def test_nics_that_no_channel_uses_carry_nothing() -> None:
    found = judged(log(22.0, ALONE), nics="4x200")
    assert found.hardware.nics == (NicGroup(1, 200.0),)
    assert found.busbw.low < 22.0 < found.busbw.high
    assert "; channels use 1 of these 4 (job.log:" in found.busbw.basis


def test_nics_that_ranks_share_while_others_are_idle_are_missed() -> None:
    several = replace(ALONE, gpus=2, hcas=("mlx5_0",))
    found = judged(log(22.0, several), nics="4x200")
    assert found.hardware.nics == (NicGroup(4, 200.0),)


@pytest.mark.parametrize(
    "without",
    ["[send]", "Channel 01", "NET/IB : Using"],
)
def test_a_part_of_the_channel_lines_does_not_tell_which_nics_are_used(without: str) -> None:
    kept = [line for line in log(22.0, replace(ALONE, channels=2)).splitlines() if without not in line]
    assert judged("\n".join(kept) + "\n", nics="4x200").hardware.nics == (NicGroup(4, 200.0),)


def test_more_than_the_channels_can_carry_shows_that_lines_are_missing() -> None:
    assert judged(log(48.0, ALONE), nics="2x200").hardware.nics == (NicGroup(2, 200.0),)


def test_few_channels_on_purpose_leave_nics_out() -> None:
    found = judged(log(22.0, replace(ALONE, env={"NCCL_MAX_NCHANNELS": "2"})), nics="4x200")
    assert found.hardware.nics == (NicGroup(4, 200.0),)


def test_one_node_needs_no_network() -> None:
    found = judged(log(232.0, ONE))
    assert not found.assumed
    assert (found.busbw.value, found.busbw.high) == pytest.approx((232.8, 274.0))


def test_one_machine_has_one_network_for_all_of_its_runs() -> None:
    """The faster run shows what is there at least; the slower one on the same nodes falls short of it."""
    found = expected(log(46.0) + log(11.0))
    assert [unsettled.sweep.peak_busbw_gbs for unsettled in found.open] == pytest.approx([46.0], rel=0.02)
    (slower,) = found.sweeps
    assert (slower.assumed, slower.busbw.low > 11.0) == (True, True)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (log(46.0, collective="gather"), "there is no model of gather"),
        (log(46.0, rows_before_death=0), "it has no usable row"),
        (log(46.0, replace(ONE, gpus=1)), "busbw of one rank is 0 by definition"),
        (log(46.0, largest_bytes=16 * MIB), "the sizes end before the plateau, and what they show lies below its band"),
    ],
)
def test_why_a_sweep_cannot_be_judged(text: str, why: str) -> None:
    found = expected(text, nics="2x200")
    assert found.sweeps == ()
    assert [reason for _, reason in found.unjudged] == [why]


def test_a_high_value_at_small_sizes_is_judged_all_the_same() -> None:
    assert judged(log(46.0, half_peak_bytes=MIB, largest_bytes=64 * MIB), nics="2x200").busbw.high > 49


def _sweep(half_peak_bytes: int, largest_bytes: int) -> MeasuredSweep:
    text = log(46.0, half_peak_bytes=half_peak_bytes, largest_bytes=largest_bytes)
    found = assemble(read([Input("job.log", None, [text.encode()])], workers=1)).sweeps
    assert found is not None
    return found.all[0]


def test_where_the_plateau_begins() -> None:
    assert reaches_plateau(_sweep(4 * MIB, 64 * MIB))
    assert not reaches_plateau(_sweep(16 * MIB, 64 * MIB))
    assert reaches_plateau(_sweep(256 * MIB, 1024 * MIB)), "from 1 GiB on it is near enough"
    curve = best_by_size(_sweep(4 * MIB, 64 * MIB))
    assert sorted(curve) == [8 * MIB, 16 * MIB, 32 * MIB, 64 * MIB]
    assert curve[64 * MIB] == pytest.approx(46.0 / (1 + 4 / 64), rel=0.01)
