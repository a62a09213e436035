"""The report of Primus' smoke test."""

from __future__ import annotations

import re

from docstring_samples import sample_in
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st

from slowlink.parsers.host import primus_smoke
from slowlink.parsers.host.primus_smoke import PARSER

SAMPLE = sample_in(primus_smoke.__doc__ or "").splitlines()


def readings(lines: list[str]) -> list[tuple[str, str, object, str | None]]:
    return [(r.attribute, r.part.name, r.value, r.host) for r in feed(PARSER, lines)]


def test_each_row_is_about_its_node() -> None:
    assert readings(SAMPLE) == [
        ("health-test", "health/node smoke test", "pass", "gpu01"),
        ("health-test", "health/node smoke test", "fail", "gpu02"),
        ("health-test-detail", "health/node smoke test", "nic: rdma3 port 1 is DOWN", "gpu02"),
        ("health-test", "health/NIC / RDMA roll-call", "fail", "gpu02"),
        ("health-test-detail", "health/NIC / RDMA roll-call", "rdma3 port 1 is DOWN", "gpu02"),
    ]


def test_tables_of_other_reports_are_somebody_elses() -> None:
    assert readings(SAMPLE[2:]) == []


def test_the_scan_sees_shapes_only() -> None:
    assert all(PARSER.wants(re.sub(r"\d", "0", line)) for line in SAMPLE)


@given(st.lists(st.sampled_from(SAMPLE) | st.text()))
def test_any_lines_are_survived(lines: list[str]) -> None:
    assert all(name.startswith("health/") and host for _, name, _, host in readings(lines))
