from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from slowlink.catalog.given import given_hardware
from slowlink.catalog.gpus import all_gpus
from slowlink.expect.bounds import bounds, tree_load
from slowlink.expect.busbw import Prediction, expectations, predict, reachable
from slowlink.expect.case import COLLECTIVES, Bound, Case, Missing
from slowlink.model.facts import Hardware, NicGroup


def case(system: str, nodes: int, collective: str = "all_reduce", **options: object) -> Case:
    hardware = given_hardware(system)
    assert hardware is not None
    per_node = hardware.gpus_per_node or 0
    return replace(Case(collective, per_node * nodes, nodes, hardware), **options)


def prediction(system: str, nodes: int, collective: str = "all_reduce", **options: object) -> Prediction:
    found = predict(case(system, nodes, collective, **options))
    assert isinstance(found, Prediction), found
    return found


def bound(found: Prediction, algorithm: str) -> Bound:
    return next(entry for entry in found.bounds if entry.algorithm == algorithm)


# System, nodes, what its limits usually give, warn and fail as an engineer would read them off a card of thresholds.
CARD = [
    ("hgx_h200", 1, 490, 466, 440),
    ("hgx_h800", 1, 218, 207, 190),
    ("hgx_b200", 1, 848, 797, 746),
    ("gb200_nvl72", 18, 1060, 800, 720),
    ("dgx_a100", 1, 240, 225, 204),
    ("hgx_a800", 1, 160, 150, 136),
    ("mi300x_8x400", 1, 314, 298, 270),
    ("hgx_h100", 2, 525, 430, 369),
    ("hgx_h100", 4, 392, 345, 314),
    ("hgx_b200", 2, 736, 611, 369),
    ("hgx_b200", 4, 392, 353, 314),
    ("aws_p6_b300", 4, 785, 700, 630),
    ("dgx_a100", 4, 196, 177, 157),
    ("mi300x_8x400", 2, 392, 335, 314),
    ("metax_c500", 2, 98, 69, 59),
]


@pytest.mark.parametrize(("system", "nodes", "reference", "warn", "fail"), CARD)
def test_threshold_card(system: str, nodes: int, reference: float, warn: float, fail: float) -> None:
    found = prediction(system, nodes)
    assert found.chosen.reference == pytest.approx(reference, rel=0.01)
    assert found.warn == pytest.approx(warn, rel=0.03)
    assert found.expected.low == pytest.approx(fail, rel=0.03)


# System, nodes, collective and the most that its wires and NICs can carry. Healthy results far below it bound nothing.
BOUNDS = [
    ("hgx_h200", 1, "all_reduce", 616.6),  # 14/9 of the 396.4 that copies reach
    ("hgx_b200", 1, "all_reduce", 1160.4),
    ("dgx_a100", 1, "all_reduce", 274.0),
    ("dgx1_v100", 1, "all_reduce", 150.0),
    ("oci_gpu_a100", 2, "all_reduce", 293.6),  # a tree, whose chain a GPU carries 15/16 x 8/7 of the time
    ("hgx_h100", 4, "all_reduce", 392.4),
    ("mi355x_8x400", 2, "alltoall", 92.0),  # the network, and not one link of the mesh
    ("mi355x_8x400", 1, "all_reduce", 537.6),
    ("gb200_nvl72", 16, "all_reduce", 1446.1),
]


@pytest.mark.parametrize(("system", "nodes", "collective", "bound"), BOUNDS)
def test_bounds_follow_from_wires(system: str, nodes: int, collective: str, bound: float) -> None:
    assert prediction(system, nodes, collective).expected.high == pytest.approx(bound, rel=0.001)


def part(gpu: str, ranks: int, nodes: int, nics: str, **options: object) -> Prediction:
    hardware = given_hardware(gpu=gpu, gpus_per_node=ranks, nics=nics)
    assert hardware is not None
    found = predict(replace(Case("all_reduce", ranks * nodes, nodes, hardware), **options))
    assert isinstance(found, Prediction), found
    return found


@pytest.mark.parametrize(
    ("gpu", "ranks", "nics", "network"),
    [
        ("h100-sxm", 1, "8x400", 49.05),  # the one HCA beside it, not its slot
        ("h100-sxm", 1, "16x200", 49.05),
        ("h100-sxm", 8, "8x400", 392.4),
        ("a100-sxm", 1, "8x200", 24.525),
        ("a100-pcie", 1, "1x400", 28.6),  # a NIC that is faster than the slot
    ],
)
def test_a_gpu_uses_the_nics_beside_it(gpu: str, ranks: int, nics: str, network: float) -> None:
    assert part(gpu, ranks, 2, nics).network_gbs == pytest.approx(network)


def test_slow_ethernet_is_the_limit_of_sockets_and_fast_ethernet_is_not() -> None:
    slow = part("h100-pcie", 1, 2, "1x10", sockets=True).expected
    assert (slow.value, slow.high) == pytest.approx((1.16, 1.24), abs=0.01)
    fast = part("h100-pcie", 1, 2, "1x100", sockets=True).expected
    assert (fast.value, fast.high) == pytest.approx((4.75, 12.38), abs=0.01)


def test_staging_does_not_slow_a_nic_that_is_slower_than_it() -> None:
    assert part("h100-pcie", 1, 2, "1x25", gdr=False).expected.value == pytest.approx(0.94 * 25 / 8 * 0.981, rel=0.01)


def test_a_measured_nic_is_a_better_basis_than_its_rate() -> None:
    slow = prediction("hgx_b200", 2, "all_gather", nic_measured_gbit=340.0)
    assert slow.expected.high == pytest.approx(340.0)
    assert "340 Gb/s as measured" in slow.expected.basis


def test_two_nodes_say_ring_and_tree_where_both_are_seen() -> None:
    fast, slow = prediction("dgx_a100", 2), prediction("aws_p4d", 2)
    assert (fast.chosen.algorithm, slow.chosen.algorithm) == ("ring", "tree")
    assert "a tree, which NCCL may as well choose here, gives about 228 GB/s" in fast.expected.basis
    assert "ring here and give about 46 GB/s" in slow.expected.basis


def test_nics_bound_gpus_whose_links_nobody_published() -> None:
    found = predict(Case("all_gather", 32, 4, Hardware(None, "mi250x", 8, (NicGroup(4, 200.0, "Slingshot"),), "")))
    assert isinstance(found, Prediction)
    assert (found.expected.value, found.expected.high) == pytest.approx((92.2, 98.1), rel=0.001)


def test_racks_are_used_alike() -> None:
    assert "64 GPUs of each" in prediction("gb300_nvl72", 32).expected.basis
    assert "racks" not in prediction("gb300_nvl72", 16).expected.basis


def test_a_threshold_that_nobody_reached_is_not_out_of_reach() -> None:
    can, why = reachable(550, prediction("hgx_h100", 1))
    assert can
    assert "more than any healthy system is known to show: they give 480 GB/s (15 published results" in why


def test_nvls_off_leaves_the_ring() -> None:
    found = prediction("hgx_h100", 1, nvls=False)
    assert found.chosen.algorithm == "ring"
    assert found.expected.value == pytest.approx(364, rel=0.02)
    assert found.expected.low == pytest.approx(315, rel=0.01)


@pytest.mark.parametrize(("nodes", "reference"), [(2, 92.0), (4, 63.4), (8, 55.2), (16, 51.9)])
def test_all_to_all_falls_with_nodes(nodes: int, reference: float) -> None:
    assert prediction("aws_p5", nodes, "alltoall").chosen.value == pytest.approx(reference, rel=0.005)


def test_gather_has_its_own_efficiency() -> None:
    found = prediction("hgx_h100", 10, "all_gather")
    assert found.expected.value == pytest.approx(330, rel=0.02)
    assert found.expected.low < 300 < found.warn


def test_two_nodes_exceed_the_nics_and_four_do_not() -> None:
    two, four = prediction("hgx_h100", 2), prediction("hgx_h100", 4)
    assert two.network_gbs == four.network_gbs == pytest.approx(392.4)
    assert two.chosen.algorithm == "nvlstree"
    assert two.chosen.value > 392.4
    assert four.chosen.algorithm == "ring"
    assert bound(four, "nvlstree").value == pytest.approx(380.1, rel=0.001)
    assert four.network_gbs is not None
    assert four.expected.high == pytest.approx(four.network_gbs)


def test_sharp_lifts_the_bound_for_any_number_of_nodes() -> None:
    assert "collnet" not in {entry.algorithm for entry in prediction("hgx_h100", 32).bounds}
    assert prediction("hgx_h100", 32, sharp=True).chosen.algorithm == "collnet"


def test_sharp_is_named_when_it_alone_would_reach_a_threshold() -> None:
    can, why = reachable(450, prediction("hgx_h200", 4))
    assert not can
    assert "SHARP" in why
    can, why = reachable(700, prediction("hgx_h200", 4))
    assert not can
    assert "SHARP" not in why
    assert reachable(450, prediction("hgx_h200", 4, sharp=True))[0]


def test_thresholds_in_words() -> None:
    found = prediction("hgx_h100", 4)
    assert reachable(345, found) == (True, "345 GB/s is within what healthy systems show (369 GB/s)")
    assert "many of them would fail" in reachable(390, found)[1]
    assert "even by degraded systems" in reachable(200, found)[1]


@pytest.mark.parametrize(
    ("measured", "judgement"),
    [(708, "above-bound"), (392.6, "as-expected"), (337, "low"), (170, "degraded"), (32.8, "degraded")],
)
def test_judgements_of_the_same_four_nodes(measured: float, judgement: str) -> None:
    result, words = prediction("hgx_h100", 4).judge(measured)
    assert result == judgement
    assert f"{measured:.1f}" in words


def test_one_gpu_of_each_node_uses_its_share_of_nics() -> None:
    part = predict(replace(case("hgx_h100", 10), nranks=10))
    assert isinstance(part, Prediction)
    assert part.chosen.value == pytest.approx(49.05)


def test_narrow_slot_and_small_mtu_enter_the_minimum() -> None:
    assert prediction("hgx_h100", 4, nic_pcie_gbs=26.0).chosen.value == pytest.approx(208)
    roce = replace(case("hgx_h100", 4), mtu_bytes=1500)
    assert isinstance(found := predict(roce), Prediction)
    assert found.chosen.value == pytest.approx(0.926 * 400)
    infiniband = prediction("dgx_h100", 4, mtu_bytes=1500)
    assert infiniband.chosen.value == pytest.approx(392.4)


def test_without_gdr_and_over_sockets() -> None:
    staged = prediction("hgx_h100", 4, gdr=False)
    assert (staged.expected.value, staged.expected.high) == pytest.approx((8 * 10, 392.4))
    sockets = prediction("azure_nd_a100_v4", 2, sockets=True)
    assert sockets.judge(3.15)[0] == "as-expected"


def test_pcie_cards_are_bound_by_their_slot() -> None:
    hardware = given_hardware(gpu="NVIDIA L40S", gpus_per_node=8)
    assert hardware is not None
    found = predict(Case("all_reduce", 8, 1, hardware))
    assert isinstance(found, Prediction)
    assert found.expected.value == pytest.approx(20.6, rel=0.01)
    assert found.judge(45)[0] == "above-bound"


def test_bridge_islands_are_not_bound_by_their_nics_inside_a_node() -> None:
    inside = prediction("h200_nvl", 1)
    assert inside.chosen.binding.name == "PCIe between islands"
    assert inside.judge(50)[0] == "as-expected"
    across = prediction("h200_nvl", 2)
    assert across.network_gbs == pytest.approx(196.2)
    assert across.judge(35.1)[0] == "degraded"


def test_rack_is_one_domain() -> None:
    rack, trays = prediction("gb200_nvl72", 3), prediction("gb200_nvl4", 3)
    assert rack.chosen.algorithm == "nvls"
    assert trays.chosen.value == pytest.approx(239.8, rel=0.001)


def test_beyond_the_published_scale_the_band_widens_and_says_so() -> None:
    small, large = prediction("alps", 64), prediction("alps", 256)
    assert large.expected.low < 0.6 * small.expected.low
    assert "information" in large.expected.basis


def test_three_nodes_accept_the_ring_too() -> None:
    found = prediction("hgx_h100", 3)
    assert found.expected.low == pytest.approx(bound(found, "ring").fail, abs=0.01)
    assert "ring" in found.expected.basis


def test_forced_algorithm_is_the_only_one() -> None:
    found = prediction("hgx_h100", 2, algorithm="ring")
    assert [entry.algorithm for entry in found.bounds] == ["ring"]
    assert isinstance(predict(case("dgx_a100", 1, algorithm="nvls")), Missing)


@pytest.mark.parametrize(
    ("changed", "word"),
    [
        ({"hardware": Hardware(None, None, 8, (NicGroup(8, 400),), "")}, "GPU"),
        ({"hardware": Hardware(None, "h100-sxm", 8, (), "")}, "--nics"),
        ({"hardware": Hardware(None, "gb200", 4, (NicGroup(4, 400),), "")}, "NVLink joins"),
        ({"hardware": Hardware(None, "metax-c500", 8, (), ""), "nnodes": 1, "nranks": 8}, "not published"),
        ({"nranks": 1, "nnodes": 1}, "more than one rank"),
        ({"nnodes": 0}, "number of nodes"),
        ({"collective": "hypercube"}, "model of hypercube"),
        ({"algorithm": "pat"}, "model of pat"),
    ],
)
def test_what_is_missing_is_named(changed: dict[str, object], word: str) -> None:
    found = predict(replace(case("hgx_h100", 2), **changed))
    assert isinstance(found, Missing)
    assert word in found.sentence


def test_basis_derives_the_number() -> None:
    basis = prediction("hgx_h100", 4).expected.basis
    for part in ("8 x 400 Gb/s x 0.981", "392.4", "94%", "catalogue hgx_h100"):
        assert part in basis


def test_expectations_have_the_report_shape() -> None:
    found = expectations(prediction("hgx_h100", 2))
    assert [entry.quantity for entry in found] == ["busbw", "busbw:nvlstree", "busbw:ring", "busbw:tree"]
    assert all(entry.unit == "GB/s" and entry.basis for entry in found)


GPUS = sorted(name for name, gpu in all_gpus().items() if gpu.usable_gbs or gpu.fabric == "none")
CASES = st.builds(
    lambda gpu, per_node, nodes, count, rate, collective: Case(
        collective, per_node * nodes, nodes, Hardware(None, gpu, 8, (NicGroup(count, rate),), "given")
    ),
    st.sampled_from(GPUS),
    st.sampled_from([1, 2, 4, 8]),
    st.integers(1, 300),
    st.integers(1, 32),
    st.sampled_from([25.0, 100.0, 200.0, 400.0, 800.0]),
    st.sampled_from(COLLECTIVES),
)


@given(CASES)
def test_bands_are_ordered(sample: Case) -> None:
    found = predict(sample)
    if isinstance(found, Missing):
        assert found.names
        return
    assert 0 < found.expected.low <= found.warn + 0.01
    assert found.warn <= found.expected.value + 0.01
    assert found.expected.value <= found.ceiling
    assert found.expected.high <= found.ceiling + 0.01


@given(CASES)
def test_ring_never_exceeds_the_nics_and_trees_never_exceed_the_cut(sample: Case) -> None:
    found = bounds(sample)
    if isinstance(found, Missing) or sample.nnodes == 1:
        return
    nics = sum(group.count * group.rate_gbit / 8 for group in sample.hardware.nics)
    cut = 2 * (sample.nranks - 1) / sample.nranks * nics
    for entry in found:
        if entry.algorithm == "ring":
            assert entry.value <= nics
        elif entry.algorithm != "p2p":
            assert entry.value <= cut


@given(CASES, st.integers(1, 8))
def test_more_network_never_lowers_the_expectation(sample: Case, more: int) -> None:
    group = sample.hardware.nics[0]
    nics = (replace(group, count=group.count + more, rate_gbit=group.rate_gbit * 2),)
    before, after = bounds(sample), bounds(replace(sample, hardware=replace(sample.hardware, nics=nics)))
    if isinstance(before, Missing) or isinstance(after, Missing):
        assert type(before) is type(after)
        return
    for old, new in zip(before, after, strict=True):
        assert new.value >= old.value


def test_tree_load_of_the_busiest_node() -> None:
    assert [tree_load(nodes) for nodes in (2, 3, 4, 100)] == [1.0, 1.5, 2.0, 2.0]
