"""Shell loops over HCAs: a name, and values in the kernel's spelling."""

from __future__ import annotations

import hca_texts
from hca_reading import said
from inline_snapshot import snapshot


def test_loops_over_hcas() -> None:
    assert said(hca_texts.LOOPS) == snapshot(
        [
            "port-state mlx5_4/1 = Active",
            "port-rate mlx5_4/1 = 200.0",
            "port-width mlx5_4/1 = 2",
            "port-state mlx5_5/1 = Active",
            "port-physical-state mlx5_5/1 = LinkUp",
            "port-rate mlx5_5/1 = 400.0",
            "port-width mlx5_5/1 = 4",
            "port-state mlx5_6/1 = Down",
            "port-physical-state mlx5_6/1 = Disabled",
            "hca-bus-id mlx5_6 = 0000:4b:00.0",
            "hca-numa-node mlx5_6 = 1",
            "hca-firmware mlx5_6 = 28.43.2026",
        ]
    )


def test_a_value_after_the_next_command_is_not_of_the_last_device() -> None:
    text = "mlx5_3\n$ kubectl exec pod-1 -- cat /sys/class/infiniband/mlx5_0/ports/1/rate\n200 Gb/sec (2X NDR)\n"
    assert said(text) == snapshot(["port-rate mlx5_0/1 = 200.0", "port-width mlx5_0/1 = 2"])
    assert said("mlx5_3\n$ my-script\n200 Gb/sec (2X NDR)\n") == []


def test_ports_in_other_spellings() -> None:
    text = (
        "mlx5_2:2 state=DOWN rate=100 lid=0x1f mtu=4096\nmlx5_3 port 1: 5: LinkUp\nmlx5_4 | Ethernet | fw=28.43.2026\n"
    )
    assert said(text) == snapshot(
        [
            "port-state mlx5_2/2 = Down",
            "port-rate mlx5_2/2 = 100.0",
            "port-lid mlx5_2/2 = 31",
            "port-mtu mlx5_2/2 = 4096",
            "port-physical-state mlx5_3/1 = LinkUp",
            "port-link-layer mlx5_4/1 = Ethernet",
            "hca-firmware mlx5_4 = 28.43.2026",
        ]
    )


def test_values_far_below_a_name_are_nobodys() -> None:
    assert said("=== mlx5_4 ===\n" + "words\n" * 9 + "4: ACTIVE\n") == []


def test_words_that_say_nothing_and_a_line_that_is_cut() -> None:
    assert said("mlx5_5: 4: ACT\nmlx5_6 state=WHAT rate=fast numa=-1 fw=N/A mtu=\n") == []
