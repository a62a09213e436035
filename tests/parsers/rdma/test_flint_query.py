"""flint -d DEVICE q: which firmware runs on an HCA."""

from __future__ import annotations

from typing import Any

from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.parsers.forms.lines import form_of, shape_of
from slowlink.parsers.rdma.flint_query import FlintQuery

TEXT = """\
# mstflint -d 17:00.0 q
Image type:            FS4
FW Version:            28.43.1014
FW Version(Running):   28.39.1002
FW Release Date:       15.8.2024
Product Version:       28.39.1002
Base GUID:             a088c20300000001        22
PSID:                  MT_0000000838
# flint -d /dev/mst/mt4129_pciconf1 query full
Image type:            FS4
FW Version:            28.39.1002
PSID:                  MT_0000000838
Security Attributes:   secure-fw
"""
LINES = TEXT.splitlines()


def said(*lines: str) -> list[tuple[str, str, Any]]:
    return [(r.attribute, r.part.name, r.value) for r in feed(FlintQuery, lines)]


def test_the_version_that_runs_counts() -> None:
    assert said(*LINES) == snapshot(
        [
            ("hca-firmware", "0000:17:00.0", "28.39.1002"),
            ("hca-board-id", "0000:17:00.0", "MT_0000000838"),
            ("hca-firmware", "mt4129_pciconf1", "28.39.1002"),
            ("hca-board-id", "mt4129_pciconf1", "MT_0000000838"),
        ]
    )


def test_an_image_file_and_an_unknown_card_give_nothing() -> None:
    assert said("# flint -i fw.bin q", *LINES[1:8]) == []
    assert said(*LINES[1:8]) == []


def test_wants_is_blind_to_digits_and_each_wanted_line_holds_a_literal() -> None:
    for text in LINES:
        assert FlintQuery.wants(text) == FlintQuery.wants(shape_of(text).decode()), text
        assert not FlintQuery.wants(text) or FlintQuery.literals.in_(form_of(text).decode()), text


@given(lines=st.lists(st.text(max_size=60) | st.sampled_from(LINES), max_size=40))
def test_any_lines_give_a_result(lines: list[str]) -> None:
    for r in feed(FlintQuery, lines):
        assert 1 <= r.ref.line <= len(lines)
