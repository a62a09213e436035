"""What pipelines that print one number count."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink.parsers.context.counted_questions import Counted, questions


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
        ("fi_info -p efa -t FI_EP_RDM | grep -c domain", "efa-count", ""),
        ('lspci | grep -c "Elastic Fabric Adapter"', "efa-count", ""),
        ("nproc", "cpu-count", ""),
        ("$ nproc --all", "cpu-count", ""),
        ("$ ssh gpu07 'nproc; cat /proc/loadavg; cat /proc/pressure/cpu'", "cpu-count", ""),
        ("$ ssh gpu07 nproc", "cpu-count", ""),
        ("[root@gpu07 ~]# getconf _NPROCESSORS_ONLN", "cpu-count", ""),
        ("# grep -c ^processor /proc/cpuinfo", "cpu-count", ""),
        ("for h in gpu01 gpu02; do ssh $h \"ibstat | grep -c 'Rate: 400'\"; done", "ports-at-rate", "x 400 Gb/s"),
        ('for h in gpu01; do ssh $h "ibstat | grep -c \\"Rate: 400\\""; done', "ports-at-rate", "x 400 Gb/s"),
    ],
)
def test_what_is_counted(command: str, attribute: str, unit: str) -> None:
    assert questions(command) == (Counted(attribute, unit),)


def test_several_commands_whose_numbers_stand_one_below_the_other() -> None:
    both = (Counted("hca-count"), Counted("gpu-count"))
    assert questions("$ ls /sys/class/infiniband | wc -l; nvidia-smi -L | wc -l") == both
    assert (
        questions("for h in a b; do echo $h $(ssh $h 'ls /sys/class/infiniband | wc -l; nvidia-smi -L | wc -l'); done")
        == both
    )
    assert questions("$ ls /sys/class/infiniband | wc -l; uptime; nvidia-smi -L | wc -l") == both[:1]
    assert questions("$ nvidia-smi -L | wc -l; nproc") == (Counted("gpu-count"), Counted("cpu-count"))


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
        "wc -l < hosts; nproc",
        "make -j$(nproc) all",
        "mpirun -np nproc-4 ./a.out",
        "lspci | grep -c Mellanox",
        "ibstat | grep LinkUp | grep -c mlx5_0",
    ],
)
def test_what_is_no_count_of_a_nodes_parts(command: str) -> None:
    assert questions(command) == ()


@given(st.text(alphabet="ibstatgrep -c|'\"Rate: 400wl", max_size=120))
def test_any_text_gives_a_result(text: str) -> None:
    assert {each.attribute for each in questions(f"ibstat | {text}")} <= {"ports-at-rate", "ports-up", "hca-count"}
