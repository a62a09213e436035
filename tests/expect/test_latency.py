from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink.catalog.given import given_hardware
from slowlink.expect.busbw import Prediction, predict
from slowlink.expect.case import Case
from slowlink.expect.latency import (
    about_size,
    half_peak_size,
    judge_plateau,
    share_at,
    size_for,
    small_message_time,
)

MIB = 1 << 20


def predicted(system: str, nodes: int) -> Prediction:
    hardware = given_hardware(system)
    assert hardware is not None
    found = predict(Case("all_reduce", (hardware.gpus_per_node or 0) * nodes, nodes, hardware))
    assert isinstance(found, Prediction)
    return found


@pytest.mark.parametrize(
    ("system", "nodes", "half_mib"),
    [
        ("dgx_h100", 1, 16.6),
        ("dgx_a100", 1, 20.4),
        ("hgx_b200", 1, 70),
        ("mi300x_8x400", 1, 5.9),
        ("dgx_a100", 2, 13),
        ("aws_p5", 2, 86),
        ("aws_p6_b200", 4, 114),
        ("alps", 2, 21.9),
        ("alps", 128, 145),
    ],
)
def test_half_peak_sizes_within_their_factor_of_two(system: str, nodes: int, half_mib: float) -> None:
    half = half_peak_size(predicted(system, nodes))
    assert half.low <= half_mib * MIB <= half.high


def test_a_size_that_reaches_95_percent_is_19_halves() -> None:
    assert share_at(19, 1) == pytest.approx(0.95)
    assert share_at(9, 1) == pytest.approx(0.90)
    assert size_for(0.9, 16.6 * MIB) == 256 * MIB


def test_rough_sizes_are_printed_roughly() -> None:
    assert about_size(119.83 * MIB) == "120 MiB"
    assert about_size(1.234 * (1 << 30)) == "1.2 GiB"


@pytest.mark.parametrize(("nodes", "floor"), [(2, 20), (4, 32), (16, 62), (128, 120)])
def test_floors_grow_with_nodes(nodes: int, floor: float) -> None:
    expected = small_message_time(predicted("alps", nodes).case)
    assert expected.value == pytest.approx(floor, rel=0.02)
    assert expected.unit == "us"


@given(st.floats(1, 1000), st.floats(0.1, 500), st.integers(24, 36))
def test_curve_alone_tells_how_far_from_the_plateau_it_ends(peak: float, half_mib: float, exponent: int) -> None:
    half = half_mib * MIB
    curve = [(1 << e, peak * share_at(1 << e, half)) for e in range(exponent - 4, exponent + 1)]
    found = judge_plateau(curve)
    truth = share_at(1 << exponent, half)
    assert found.share == pytest.approx(truth, rel=1e-6)
    assert found.reached is (found.share is not None and found.share >= 0.9)


def test_falling_curve_has_passed_its_plateau() -> None:
    assert judge_plateau([(MIB, 100.0), (2 * MIB, 90.0)]).reached is True
    fallen = judge_plateau([(8 * MIB, 100.0), (16 * MIB, 20.0), (32 * MIB, 30.0)])
    assert (fallen.reached, fallen.share) == (True, 0.3)
    assert fallen.reason == "at 32 MiB busbw is 30% of that at 8 MiB: the plateau is reached"


def test_a_curve_that_was_higher_while_protocols_change_may_rise_again() -> None:
    assert judge_plateau([(MIB, 100.0), (2 * MIB, 20.0), (4 * MIB, 30.0)]).reached is False


def test_one_size_is_judged_by_physics_alone() -> None:
    half = half_peak_size(predicted("aws_p5", 2))
    assert judge_plateau([(8 << 30, 480.0)], half).reached is True
    assert judge_plateau([(16 * MIB, 60.0)], half).reached is False
    assert judge_plateau([(256 * MIB, 350.0)], half).reached is None
    assert judge_plateau([(8 << 30, 480.0)]).reached is None
    assert judge_plateau([]).reached is None
