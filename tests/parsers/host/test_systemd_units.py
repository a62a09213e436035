"""Services of a node that failed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.model.source import Line
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.lines import form_of
from slowlink.parsers.host.systemd_units import SystemdUnits

LISTED = """\
  UNIT                         LOAD      ACTIVE   SUB     DESCRIPTION
● nvidia-fabricmanager.service loaded    failed   failed  NVIDIA fabric manager service
● openibd.service              loaded    failed   failed  openibd - configure Mellanox devices
● motd-news.service            loaded    failed   failed  Message of the Day
  opensm.service               loaded    inactive dead    Starts the OpenSM InfiniBand fabric Subnet Manager
  nvidia-imex.service          loaded    activating auto-restart NVIDIA IMEX service
  nvidia-persistenced.service  loaded    active   running NVIDIA Persistence Daemon
"""
STATUS = """\
× slurmd.service - Slurm node daemon
     Loaded: loaded (/usr/lib/systemd/system/slurmd.service; enabled; preset: enabled)
     Active: failed (Result: exit-code) since Fri 2026-11-20 10:00:00 UTC; 3min ago
○ nv_peer_mem.service
     Active: inactive (dead)
● rdma-load-modules@infiniband.service - Load RDMA modules from /etc/rdma/modules/infiniband.conf
     Active: activating (auto-restart) (Result: exit-code) since Fri 2026-11-20 10:00:00 UTC; 2s ago
"""
ASKED = """\
$ systemctl is-active munge nvidia-imex nvidia-dcgm.service
failed
active
failed
inactive
"""
ALL = LISTED + STATUS + ASKED


def read(text: str) -> list[tuple[str, str, str]]:
    parser = SystemdUnits()
    for number, line in enumerate(text.splitlines(), 1):
        if parser.greedy or parser.wants(line):
            parser.feed(Line("log", number, line))
    return [(event.origin, event.kind, event.groups["unit"]) for event in parser.finish()]


def test_services_of_a_list() -> None:
    assert read(LISTED) == snapshot(
        [
            ("fabricmanager", "fabric-manager-service", "nvidia-fabricmanager"),
            ("systemd-units", "service-failed-hca-driver", "openibd"),
            ("systemd", "service-failed", "motd-news"),
            ("systemd-units", "service-failed-imex", "nvidia-imex"),
        ]
    )


def test_the_status_of_services() -> None:
    assert read(STATUS) == snapshot(
        [
            ("systemd-units", "service-failed-slurm", "slurmd"),
            ("systemd-units", "service-failed-hca-driver", "rdma-load-modules@infiniband"),
        ]
    )


def test_answers_to_a_question() -> None:
    assert read(ASKED) == snapshot(
        [("systemd-units", "service-failed-munge", "munge"), ("systemd", "service-failed", "nvidia-dcgm")]
    )


@pytest.mark.parametrize(
    "text",
    [
        "failed",
        "     Active: failed (Result: exit-code)",
        "slurmd.service failed",
        "$ systemctl is-active",
        "the UNIT failed",
    ],
)
def test_a_line_that_names_no_service_is_nobody_s(text: str) -> None:
    assert SystemdUnits().feed(Line("log", 1, text)) is Use.NOT_MINE


def test_an_answer_that_does_not_follow_at_once_is_none() -> None:
    assert read("$ systemctl is-active munge\nsomething else\nfailed\n") == []


def test_every_line_is_wanted_by_its_form() -> None:
    for line in ALL.splitlines():
        assert SystemdUnits.wants(form_of(line).decode()) == SystemdUnits.wants(line), line


@given(st.lists(st.sampled_from(ALL.splitlines()) | st.text(max_size=40), max_size=12), st.integers(0, 60))
def test_any_order_and_any_cut_gives_services_by_name(lines: list[str], cut: int) -> None:
    for origin, kind, unit in read("\n".join(lines)[: -cut or None]):
        assert origin in ("systemd", "systemd-units", "fabricmanager")
        assert kind.startswith(("service-failed", "fabric-manager-service"))
        assert unit[0].isalpha()
