"""What stands before NCCL's words is read once for all leads of one shape."""

from __future__ import annotations

import re
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from slowlink.parsers.forms.lines import Dialect
from slowlink.parsers.reading.leads.before_nccl import NcclLeads, read_lead

PIECES = (
    *("slurm-123.out:", "logs/rank_3.log:57:", "12: ", "7:", "-1", "-2", " 0.25", "# 8 2 float sum -1", "8 2 "),
    *("2026-11-28T10:00:00.123Z ", "[1,3]<stdout>:", "[pod/trainer-3/main] ", "> ", "gpu07: ", "10-0-1-7", "\t"),
    *("gpu07:4100:4188", "gpu07:4100:4188 [3]", " [3]", " misc/socket.cc:57 (connect)", "[16:00:00", '{"log":"', "é1"),
)
DIALECTS = (Dialect(), Dialect(numbers="line"), Dialect(numbers="rank"), Dialect(tags=frozenset({b"gpu00:"})))


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join), st.sampled_from(DIALECTS), st.randoms())
def test_other_numbers_do_not_change_what_is_read(before: str, dialect: Dialect, chance: Random) -> None:
    other = re.sub(r"[0-9]", lambda _: chance.choice("0123456789"), before)
    leads = NcclLeads(dialect)
    leads.of(before)
    assert leads.of(other) == NcclLeads(dialect).of(other)


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join), st.sampled_from(DIALECTS))
def test_a_lead_without_a_stamp_is_as_if_it_were_read_alone(before: str, dialect: Dialect) -> None:
    if not before.startswith("2026"):
        assert NcclLeads(dialect).of(before) == read_lead(before, dialect)


def test_of_a_numbered_search_each_line_is_the_same_process() -> None:
    leads = NcclLeads(Dialect())
    found = [leads.of(f"slurm-123.out:{line}:gpu07:4100:4188 [3]") for line in (9, 10, 4711)]
    assert {(lead.prefix, lead.stream, lead.special) for lead in found} == {
        ("gpu07:4100:4188 [3]", "slurm-123.out", False)
    }
    assert [lead.cut for lead in found] == [16, 17, 19]
