"""Copies inside a node: of one GPU, of one pair, of all."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from job_findings import check
from text_findings import findings_of, said

RULE = "gpu-copies-uneven"
DEVICES = "".join(
    f"Device: {gpu}, NVIDIA H100 80GB HBM3, pciBusID: {16 + gpu:x}, pciDeviceID: 0, pciDomainID:0\n" for gpu in range(8)
)
PAIRS = "Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)\n"


def table(cell: Callable[[int, int], float], title: str = PAIRS, gpus: int = 8) -> str:
    """A matrix of p2pBandwidthLatencyTest."""
    head = "   D\\D" + "".join(f"{column:6} " for column in range(gpus))
    rows = (f"{row:6} " + "".join(f"{cell(row, column):6.2f} " for column in range(gpus)) for row in range(gpus))
    return title + "\n".join((head, *rows)) + "\n"


def from_host(*values: float) -> str:
    """nvbandwidth's table of copies from the host."""
    head = "          " + "".join(f"{column:10}" for column in range(len(values)))
    row = "         0" + "".join(f"{value:10.2f}" for value in values)
    return (
        "Running host_to_device_memcpy_ce.\nmemcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)\n"
        f"{head}\n{row}\n\nSUM host_to_device_memcpy_ce {sum(values):.2f}\n"
    )


def weights(text: str) -> list[tuple[str, int]]:
    return [(proof.message, proof.weight) for proof in check(RULE, text).proofs]


def test_a_gpu_that_is_slow_with_all_its_peers() -> None:
    text = DEVICES + table(lambda a, b: 39.0 if 5 in (a, b) and a != b else 385.0)
    assert said(RULE, text) == snapshot(
        [("nvlink-down", "error", "likely", "GPU 5 copies with its peers at 39.0 GB/s, the others at 385.0")]
    )


def test_peer_to_peer_that_was_switched_off_for_comparison_is_not_judged() -> None:
    assert said(RULE, DEVICES + table(lambda a, b: 39.0, PAIRS.replace("Enabled", "Disabled"))) == []


def test_a_gpu_that_the_host_reaches_slowly() -> None:
    text = from_host(55.4, 55.5, 55.4, 55.5, 55.2, 55.4, 26.3, 55.5)
    found = findings_of(RULE, text)
    assert [(f.cause, f.message, [s.name for s in f.suspects]) for f in found] == snapshot(
        [("pcie-link-degraded", "GPU 6 copies with the host at 26.3 GB/s, the others at 55.4", ["GPU 6"])]
    )


def test_both_directions_and_several_tests_are_one_finding() -> None:
    text = from_host(55.4, 55.5, 26.3, 55.5)
    assert len(findings_of(RULE, text + text.replace("host_to_device", "device_to_host"))) == 1


def test_a_gpu_that_is_slow_only_both_ways_has_a_sound_link() -> None:
    one_way = from_host(55.4, 55.5, 55.4, 55.5)
    both = from_host(34.4, 24.1, 34.5, 34.4).replace("host_to_device", "host_to_device_bidirectional")
    assert len(findings_of(RULE, both)) == 1
    assert findings_of(RULE, one_way + both) == findings_of(RULE, both + one_way) == ()
    assert len(findings_of(RULE, one_way, both)) == 1  # another file may be of another node


def test_a_pair_that_is_slow_although_both_gpus_are_fast() -> None:
    text = table(lambda a, b: 12.1 if {a, b} == {2, 3} else 47.2)
    assert said(RULE, text) == snapshot(
        [("nvlink-down", "error", "likely", "GPUs 2-3 copy at 12.1 GB/s, the other pairs at 47.2")]
    )


def nearly(gbs: float) -> Callable[[int, int], float]:
    """A matrix of pairs over a switch: alike but for the noise of a sound node."""
    return lambda a, b: gbs * (1 + ((3 * a + 5 * b) % 7 - 3) / 1000)


def test_over_links_a_smaller_distance_from_the_peers_tells() -> None:
    sound = nearly(388.0)
    row = table(lambda a, b: 291.0 if a == 5 else sound(a, b))
    pair = table(lambda a, b: 345.0 if (a, b) == (2, 6) else sound(a, b))
    assert said(RULE, DEVICES + row) + said(RULE, DEVICES + pair) == snapshot(
        [
            ("nvlink-down", "warning", "likely", "GPU 5 copies with its peers at 291.0 GB/s, the others at 387.6"),
            ("nvlink-down", "warning", "likely", "GPUs 2-6 copy at 345.0 GB/s, the other pairs at 387.4"),
        ]
    )


def test_pairs_that_spread_do_not_accuse_the_slowest() -> None:
    text = table(lambda a, b: 388.0 - 10.0 * abs(a - b))
    assert said(RULE, text) == []
    assert check(RULE, text).proofs[0].undecided  # far from their median nobody calls them alike, either


def test_pairs_over_pcie_differ_by_where_they_sit() -> None:
    assert said(RULE, table(lambda a, b: 43.0 if {a, b} == {2, 3} else 52.0)) == []


@given(st.floats(0.01, 1.2))
def test_a_share_of_what_links_carry_is_sound_lost_or_left_open(share: float) -> None:
    text = DEVICES + table(nearly(396.4 * share))
    outcome = check(RULE, text)
    healthy = any(proof.weight for proof in outcome.proofs)
    assert healthy == (share * 0.997 >= 0.9) or abs(share * 0.997 - 0.9) < 0.001
    assert bool(outcome.findings) == (share * 1.003 < 0.8) or abs(share * 1.003 - 0.8) < 0.001
    assert healthy or outcome.findings or all(proof.undecided for proof in outcome.proofs)


def test_all_pairs_at_a_part_of_what_their_links_carry() -> None:
    assert said(RULE, DEVICES + table(nearly(258.0))) == snapshot(
        [
            (
                "nvlink-down",
                "warning",
                "possible",
                "GPUs 0, 1, 2, 3 and 4 more copy among themselves at 258.5 GB/s, and their links carry 396",
            )
        ]
    )
    assert weights(DEVICES + table(nearly(338.0))) == snapshot(
        [("28 pairs of 8 GPUs copy at 337.0 to 338.7 GB/s of 396 that its links carry, which is not judged", 0)]
    )


def test_a_board_of_four_may_divide_the_links() -> None:
    four = "".join(DEVICES.splitlines(keepends=True)[:4])
    assert said(RULE, four + table(nearly(131.0), gpus=4)) == []
    assert all(proof.undecided for proof in check(RULE, four + table(nearly(131.0), gpus=4)).proofs)


def test_islands_are_no_fault() -> None:
    assert said(RULE, table(lambda a, b: 240.0 if a // 4 == b // 4 else 20.0)) == []
    assert said(RULE, from_host(25.1, 25.0, 17.8, 17.9)) == []


def test_gpus_that_are_alike_may_all_be_slow() -> None:
    assert said(RULE, DEVICES + table(lambda a, b: 41.0)) == snapshot(
        [
            (
                "p2p-disabled",
                "error",
                "likely",
                "GPUs 0, 1, 2, 3 and 4 more copy among themselves at 41.0 GB/s, and their links carry 396",
            )
        ]
    )
    assert weights(table(lambda a, b: 41.0)) == snapshot([("28 pairs of 8 GPUs copy at 41.0 to 41.0 GB/s", 0)])


def test_one_gpu_far_below_its_pcie_generation() -> None:
    text = (
        "[CUDA Bandwidth Test] - Starting...\nRunning on...\n\n Device 3: NVIDIA H100 80GB HBM3\n Quick Mode\n\n"
        " Host to Device Bandwidth, 1 Device(s)\n {} Memory Transfers\n"
        "   Transfer Size (Bytes)        Bandwidth(GB/s)\n   32000000                     3.2\n"
    )
    assert said(RULE, text.format("PINNED")) == snapshot(
        [
            (
                "pcie-link-degraded",
                "error",
                "likely",
                "GPU 3 copies with the host at 3.2 GB/s; its PCIe generation 5 usually has 52",
            )
        ]
    )
    assert said(RULE, text.format("PAGEABLE")) == []


def test_links_at_what_they_carry_are_a_proof_and_the_hosts_copies_are_none_of_health() -> None:
    assert weights(DEVICES + table(lambda a, b: 385.0)) == snapshot(
        [("28 pairs of 8 GPUs copy at 385.0 to 385.0 GB/s of 396 that its links carry", 1)]
    )
    assert weights(from_host(55.4, 55.5, 55.4, 55.5)) == snapshot(
        [("4 GPUs copy with the host at 55.4 to 55.5 GB/s", 0)]
    )


def test_rocms_numbers_of_devices_count_processors() -> None:
    devices = "".join(f"  Device: {number},  AMD EPYC 9654\n" for number in range(2)) + "".join(
        f"  Device: {number},  AMD Instinct MI300X,  GPU-{number:016x},  {number:02x}:0.0\n" for number in range(2, 6)
    )
    head = "  Unidirectional copy peak bandwidth GB/s\n  D/D  0  1  2  3  4  5\n"
    hosts = "  0  N/A  N/A  56.9  13.3  56.8  56.7\n  1  N/A  N/A  56.9  13.3  56.8  56.7\n"
    assert said(RULE, devices + head + hosts) == snapshot(
        [("pcie-link-degraded", "error", "likely", "GPU 1 copies with the host at 13.3 GB/s, the others at 56.8")]
    )


def test_the_node_is_named_where_a_prompt_tells_it() -> None:
    text = "[root@n7 ~]# ./nvbandwidth\n" + from_host(55.4, 55.5, 26.3, 55.5)
    assert [f.message for f in findings_of(RULE, text)] == snapshot(
        ["n7: GPU 2 copies with the host at 26.3 GB/s, the others at 55.5"]
    )


@given(st.lists(st.floats(0.1, 900), min_size=1, max_size=8))
def test_never_more_than_one_of_four_gpus_is_odd(values: list[float]) -> None:
    for found in findings_of(RULE, from_host(*values)):
        assert len(found.suspects) <= max(1, len(values) // 4)


def bandwidth_test(name: str, rates: tuple[float, float, float]) -> str:
    """CUDA's bandwidthTest of one GPU: to it, from it, in its own memory."""
    ways = ("Host to Device", "Device to Host", "Device to Device")
    return f"[CUDA Bandwidth Test] - Starting...\nRunning on...\n\n Device 0: {name}\n Quick Mode\n\n" + "".join(
        f" {way} Bandwidth, 1 Device(s)\n PINNED Memory Transfers\n   Transfer Size (Bytes)        Bandwidth(GB/s)\n"
        f"   32000000                     {rate}\n\n"
        for way, rate in zip(ways, rates, strict=True)
    )


LINK = (
    "==============NVSMI LOG==============\n\nAttached GPUs                             : 1\n"
    "GPU 00000000:3B:00.0\n    Product Name                          : Some GPU\n    PCI\n        Bus                               : 0x3B\n"
    "        GPU Link Info\n            PCIe Generation\n                Max                       : 3\n"
    "                Current                   : 3\n            Link Width\n"
    "                Max                       : 16x\n                Current                   : 16x\n"
)


def test_copies_of_one_gpu_are_shown_and_not_judged_where_its_link_is_not_known() -> None:
    said = check(RULE, bandwidth_test("Some GPU", (11.9, 13.1, 402.0)))
    assert said.findings == ()
    assert [(proof.message, proof.weight, proof.undecided) for proof in said.proofs] == snapshot(
        [
            ("GPU 0 copies at 11.9 GB/s (Host to Device, pinned), which is not judged", 0, True),
            ("GPU 0 copies at 13.1 GB/s (Device to Host, pinned), which is not judged", 0, True),
            ("GPU 0 copies at 402.0 GB/s (Device to Device, pinned), which is not judged", 0, True),
        ]
    )


def test_copies_of_one_gpu_beside_its_pcie_link() -> None:
    proofs = check(RULE, bandwidth_test("Some GPU", (11.9, 13.1, 402.0)) + LINK).proofs
    assert [proof.message for proof in proofs if not proof.undecided] == snapshot(
        [
            "GPU 0 copies at 11.9 GB/s (Host to Device, pinned); 12 is usual for its PCIe link",
            "GPU 0 copies at 13.1 GB/s (Device to Host, pinned); 12 is usual for its PCIe link",
        ]
    )
    (found, *_) = findings_of(RULE, bandwidth_test("Some GPU", (5.9, 13.1, 402.0)) + LINK)
    assert (found.cause, found.message) == snapshot(
        ("pcie-link-degraded", "GPU 0 copies with the host at 5.9 GB/s; its PCIe link usually has 12")
    )


def test_a_gpu_far_behind_in_one_direction_alone() -> None:
    to = from_host(55, 55, 55, 13, 55, 55, 55, 55)
    back = from_host(*[55] * 8).replace("host_to_device", "device_to_host").replace("->", "<-")
    assert said(RULE, to + back) == snapshot(
        [
            (
                "pcie-link-degraded",
                "warning",
                "possible",
                "GPU 3 copies with the host at 13.0 GB/s in one direction, the others at 55.0",
            )
        ]
    )
    assert findings_of(RULE, from_host(55, 55, 55, 35, 55, 55, 55, 55) + back) == ()
