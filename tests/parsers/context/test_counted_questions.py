"""What pipelines that print one number count."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink.parsers.context.counted_questions import question


@pytest.mark.parametrize(
    ("command", "attribute", "unit"),
    [
        ('ibstat | grep -c "Rate: 400"', "ports-at-rate", "x 400 Gb/s"),
        ("ibstat | grep 'Rate: 200' | wc -l", "ports-at-rate", "x 200 Gb/s"),
        ("ibstatus | grep -c '400 Gb/sec'", "ports-at-rate", "x 400 Gb/s"),
        ("ibstat | grep -c LinkUp", "ports-up", ""),
        ('ibstat | grep -ci "state: active"', "ports-up", ""),
        ("ibdev2netdev | grep -c Up", "ports-up", ""),
        ('ibdev2netdev | grep "(Up)" | wc -l', "ports-up", ""),
        ("ibv_devinfo | grep -c PORT_ACTIVE", "ports-up", ""),
        ("ibv_devinfo | grep -c hca_id", "hca-count", ""),
        ("ibstat -l | wc -l", "hca-count", ""),
        ("ls /sys/class/infiniband | wc -l", "hca-count", ""),
        ("nvidia-smi -L | wc -l", "gpu-count", ""),
        ("nvidia-smi --query-gpu=name --format=csv,noheader | wc -l", "gpu-count", ""),
        ("fi_info -p efa -t FI_EP_RDM | grep -c provider", "efa-count", ""),
        ("for h in gpu01 gpu02; do ssh $h \"ibstat | grep -c 'Rate: 400'\"; done", "ports-at-rate", "x 400 Gb/s"),
        ('for h in gpu01; do ssh $h "ibstat | grep -c \\"Rate: 400\\""; done', "ports-at-rate", "x 400 Gb/s"),
    ],
)
def test_what_is_counted(command: str, attribute: str, unit: str) -> None:
    counted = question(command)
    assert counted is not None
    assert (counted.attribute, counted.unit) == (attribute, unit)


@pytest.mark.parametrize(
    "command",
    [
        "ibstat | grep Rate",
        "ibstat | grep -vc LinkUp",
        "ibstat mlx5_0 | grep -c LinkUp",
        "ibstat | wc -l",
        "ibdev2netdev | grep -c Down",
        "nvidia-smi | grep -c MiB",
        "fi_info -p efa | grep -c provider",
        "cat train.log | grep -c ERROR",
        "ibstat | grep LinkUp | grep -c mlx5_0",
    ],
)
def test_what_is_no_count_of_a_nodes_parts(command: str) -> None:
    assert question(command) is None


@given(st.text(alphabet="ibstatgrep -c|'\"Rate: 400wl", max_size=120))
def test_any_text_gives_a_result(text: str) -> None:
    counted = question(f"ibstat | {text}")
    assert counted is None or counted.attribute in ("ports-at-rate", "ports-up", "hca-count")
