from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from job_findings import check, findings, lines_at, remedies, skipped
from slow_sides import with_slow_side
from text_findings import said

from slowlink.simulate.job import SimulatedJob, job_log
from slowlink.simulate.nccl_log_output import LoggedCluster

GIB = 1 << 30


def log(**more: object) -> str:
    return job_log(SimulatedJob(LoggedCluster(), plateau_gbs=46.0, logged=False, **more))  # type: ignore[arg-type]


def test_falls_with_the_size() -> None:
    text = log(shape={2 * GIB: 0.7, 4 * GIB: 0.4, 8 * GIB: 0.2})
    assert findings("bandwidth-shape", text) == snapshot(
        [
            {
                "cause": "bandwidth-unstable",
                "message": "busbw of all_reduce falls with the size: from 45.2 GB/s at 1 GiB to 9.18 GB/s at 8 GiB",
                "how": "error, likely",
                "suspects": [],
                "evidence": [(37, "9.18 GB/s / 45.2 GB/s"), (34, "45.22 GB/s")],
                "explains": ["busbw-below-expected"],
            }
        ]
    )
    assert [line.split()[0] for line in lines_at(text, check("bandwidth-shape", text).findings[0])] == [
        "8589934592",
        "1073741824",
    ]


def test_titles_say_what_the_curve_does() -> None:
    texts = log(shape={4 * GIB: 0.4, 8 * GIB: 0.2}), log(shape={GIB: 0.5}), with_slow_side(log(), 8 * GIB, 0.5)
    assert [found.title for text in texts for found in check("bandwidth-shape", text).findings] == [
        "Bandwidth falls with the size",
        "Bandwidth dips at some sizes",
        "Out-of-place and in-place differ",
    ]


def messages(text: str) -> list[str]:
    return [message for _, _, _, message in said("bandwidth-shape", text)]


def test_dips_at_two_sizes_side_by_side() -> None:
    assert messages(log(shape={GIB: 0.25, 2 * GIB: 0.3})) == snapshot(
        ["busbw of all_reduce dips at 1 GiB to 2 GiB: 11.3 GB/s between 44.6 and 45.8"]
    )


def test_a_size_that_takes_longer_than_a_larger_one_was_held_up() -> None:
    small = {(8 << 20) << step: 0.2 for step in range(9)}
    assert messages(log(shape=small)) == snapshot(
        ["busbw of all_reduce dips at 1 GiB to 2 GiB: 9.0 GB/s between 8.9 and 45.8"]
    )


def test_dips_at_one_size() -> None:
    assert findings("bandwidth-shape", log(shape={GIB: 0.5})) == snapshot(
        [
            {
                "cause": "bandwidth-unstable",
                "message": "busbw of all_reduce dips at 1 GiB: 22.6 GB/s between 44.6 and 45.6",
                "how": "warning, possible",
                "suspects": [],
                "evidence": [(34, "22.61 GB/s")],
                "explains": [],
            }
        ]
    )


def test_near_the_thresholds() -> None:
    assert findings("bandwidth-shape", log(shape={8 * GIB: 0.53})) == []
    assert findings("bandwidth-shape", log(shape={GIB: 0.64})) == []


def test_out_of_place_and_in_place_differ() -> None:
    assert findings("bandwidth-shape", with_slow_side(log(), 8 * GIB, 0.5)) == snapshot(
        [
            {
                "cause": "bandwidth-unstable",
                "message": "out-of-place and in-place differ at 8 GiB: 45.9 and 22.9 GB/s",
                "how": "warning, possible",
                "suspects": [],
                "evidence": [(37, "45.91 and 22.93 GB/s")],
                "explains": [],
            }
        ]
    )


def test_sides_that_differ_at_any_size_are_told() -> None:
    assert messages(with_slow_side(log(), 8 * GIB, 0.7)) == snapshot(
        ["out-of-place and in-place differ at 8 GiB: 45.9 and 32.1 GB/s"]
    )
    assert messages(with_slow_side(log(), 256 << 20, 0.33)) == snapshot(
        ["out-of-place and in-place differ at 256 MiB: 43.3 and 14.3 GB/s"]
    )
    assert messages(with_slow_side(log(), 256 << 20, 0.6)) == []
    assert messages(with_slow_side(log(), 64 << 20, 0.33)) == []
    assert messages(with_slow_side(log(), 8 * GIB, 0.8)) == []


def test_a_smooth_curve() -> None:
    assert findings("bandwidth-shape", log()) == []


def test_small_sizes_may_be_ragged() -> None:
    assert findings("bandwidth-shape", log(smallest_bytes=64 << 10, shape={256 << 10: 0.3, 1 << 20: 0.4})) == []


def test_small_sizes_that_take_many_times_as_long_as_a_larger_one_are_noted() -> None:
    text = log(smallest_bytes=64 << 10, shape={512 << 10: 0.15, 1 << 20: 0.07})
    assert findings("bandwidth-shape", text) == snapshot(
        [
            {
                "cause": "bandwidth-unstable",
                "message": "all_reduce takes 13.4 times longer at 1 MiB than at 2 MiB",
                "how": "info, possible",
                "suspects": [],
                "evidence": [(31, "0.19 GB/s at 1 MiB"), (32, "5.11 GB/s at 2 MiB")],
                "explains": [],
            }
        ]
    )
    assert findings("bandwidth-shape", log(smallest_bytes=8 << 10, shape={32 << 10: 0.03})) == [], "a slow start"


def test_without_a_table() -> None:
    assert skipped("bandwidth-shape", "nothing here\n") == snapshot(
        "no table of a collective benchmark (nccl-tests, rccl-tests, mccl) in the input"
    )


FALL = {2 * GIB: 0.7, 4 * GIB: 0.4, 8 * GIB: 0.2}
USING = "node06:77:77 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/{} [RO]; OOB eth0:10.0.0.1<0>\n"
WAITS, PAUSES = "port_xmit_wait", "pause"


@pytest.mark.parametrize(
    ("shown", "counters"),
    [
        ("", {WAITS, PAUSES}),
        (USING.format("IB"), {WAITS}),
        (USING.format("RoCE"), {PAUSES}),
        ("link/mlx5_0/1 state ACTIVE physical_state LINK_UP netdev ens1np0\n", {WAITS, PAUSES}),
        ("hca_id:\tmlx5_0\n\t\tport:\t1\n\t\t\tlink_layer:\t\tInfiniBand\n", {WAITS}),
        ("hca_id:\tmlx5_0\n\t\tport:\t1\n\t\t\tlink_layer:\t\tEthernet\n", {PAUSES}),
    ],
)
def test_the_counters_of_a_fall_are_those_of_the_link_layer(shown: str, counters: set[str]) -> None:
    ((*steps, _),) = remedies("bandwidth-shape", shown + log(shape=FALL))
    commands = " ".join(command for _, command in steps)
    assert {name for name in (WAITS, PAUSES) if name in commands} == counters


def test_on_one_node_no_network_is_asked() -> None:
    job = SimulatedJob(LoggedCluster(hosts=("node06",)), plateau_gbs=200.0, logged=False, shape=FALL)
    ((only,),) = remedies("bandwidth-shape", job_log(job))
    assert only[1].startswith("all_reduce_perf")


def test_what_pairs_exchange_is_repeated_as_such() -> None:
    ((*_, again),) = remedies("bandwidth-shape", log(collective="sendrecv", shape=FALL))
    assert again[1] == "sendrecv_perf -b 8589934592 -e 8589934592 -N 10"
    ((dip,),) = remedies("bandwidth-shape", log(collective="sendrecv", shape={GIB: 0.5}))
    assert "algorithm" not in dip[0]


def test_it_says_what_to_do_about_each_shape() -> None:
    fall = log(shape={2 * GIB: 0.7, 4 * GIB: 0.4, 8 * GIB: 0.2})
    assert remedies("bandwidth-shape", fall) == snapshot(
        [
            [
                (
                    "Read the waits for credits of the InfiniBand ports before and after a run.",
                    "grep . /sys/class/infiniband/*/ports/*/counters/port_xmit_wait",
                ),
                (
                    "Read pause frames and discards before and after a run.",
                    "ethtool -S IFACE | grep -iE 'pause|discard'",
                ),
                ("Read retransmissions of RDMA before and after a run.", "rdma statistic show"),
                (
                    "Repeat the size by itself, to tell the size from the moment.",
                    "all_reduce_perf -b 8589934592 -e 8589934592 -N 10",
                ),
            ]
        ]
    )
    assert remedies("bandwidth-shape", log(shape={GIB: 0.5})) == snapshot(
        [[("Repeat this size; see which algorithm it takes.", "export NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=TUNING")]]
    )
    assert remedies("bandwidth-shape", with_slow_side(log(), 8 * GIB, 0.5)) == snapshot(
        [[("Repeat the size; a difference that stays is worth a report to NCCL.", "")]]
    )
