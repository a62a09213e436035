"""quota and lfs quota: what is above its limits."""

from __future__ import annotations

from typing import Any

from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.parsers.forms.lines import shape_of
from slowlink.parsers.resources.quotas import Quotas

HEADING = "     Filesystem   space   quota   limit   grace   files   quota   limit   grace"
WRAPPED = ["nas1:/export/home", "                 50001M* 50000M  55000M   6days    412k       0       0"]
LUSTRE = "        /scratch  10.01T*    9.5T     10T       - 2000312*      0 2000000       -"
FINE = "      /dev/sda2     12M     50G     55G             412       0       0"
LINES = ["Disk quotas for user mia (uid 20411):", HEADING, *WRAPPED, LUSTRE, FINE]


def said(*lines: str) -> list[tuple[str, str, Any]]:
    return [(r.attribute, r.part.name, r.value) for r in feed(Quotas, [HEADING, *lines])]


def test_a_name_in_a_line_of_its_own_belongs_to_the_next_row() -> None:
    assert said(*WRAPPED) == snapshot(
        [
            ("quota-space", "nas1:/export/home", "above the first limit, 55000M at most"),
            ("quota-files", "nas1:/export/home", "below its limits"),
        ]
    )


def test_a_star_beyond_the_limit_is_used_up() -> None:
    assert said(LUSTRE) == snapshot(
        [("quota-space", "/scratch", "10.01T of 10T used"), ("quota-files", "/scratch", "2000312 of 2000000 used")]
    )


def test_below_all_limits() -> None:
    assert said(FINE) == snapshot(
        [("quota-space", "/dev/sda2", "below its limits"), ("quota-files", "/dev/sda2", "below its limits")]
    )


def test_columns_of_the_newest_lustre() -> None:
    rows = [
        "      Filesystem    used  bquota  blimit  bgrace   files  iquota  ilimit  igrace",
        "        /scratch   9.2T*     9T     10T  2d3h4m    4000       0       0       -",
    ]
    assert said(*rows) == snapshot(
        [
            ("quota-space", "/scratch", "above the first limit, 10T at most"),
            ("quota-files", "/scratch", "below its limits"),
        ]
    )


def test_a_star_that_means_a_server_without_answer_is_no_quota() -> None:
    assert said("        /scratch    412M*      0k      0k       -    4000       0       0       -") == snapshot(
        [("quota-files", "/scratch", "below its limits")]
    )


def test_numbers_in_brackets_are_not_exact() -> None:
    assert said("        /scratch  [10.5T]     0k     10T       -  [4000]       0    4000       -") == []


def test_a_grace_as_a_number_takes_its_column() -> None:
    assert said("      /dev/sda2   60000*  50000   70000 1763890000     412       0     412       0") == snapshot(
        [
            ("quota-space", "/dev/sda2", "above the first limit, 70000 at most"),
            ("quota-files", "/dev/sda2", "below its limits"),
        ]
    )


def test_a_table_of_limits_shows_no_use() -> None:
    assert said("Disk default usr quota:", "        /scratch    10       10      10     0       0       0") == []


def test_quota_says_it_in_words() -> None:
    lines = [
        "Disk quotas for user mia (uid 20411): ",
        "\tBlock limit reached on nas1:/home",
        "\tIn file grace period on /dev/sda2",
    ]
    assert said(*lines) == snapshot(
        [
            ("quota-space", "nas1:/home", "all that is allowed is used"),
            ("quota-files", "/dev/sda2", "above the first limit, for the days of grace"),
        ]
    )


def test_a_row_without_its_heading_is_nobodys() -> None:
    assert list(feed(Quotas, [LUSTRE])) == []


def test_wants_is_blind_to_digits() -> None:
    for text in LINES:
        assert Quotas.wants(text) == Quotas.wants(shape_of(text).decode()), text


@given(lines=st.lists(st.text(max_size=60) | st.sampled_from(LINES), max_size=40))
def test_any_lines_give_a_result(lines: list[str]) -> None:
    for r in feed(Quotas, lines):
        assert 1 <= r.ref.line <= len(lines)
