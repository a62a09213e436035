"""Tables of hardware that nobody names: however many there are, no more are held against all networks."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import slowlink
from slowlink.expect import assemble
from slowlink.expect.case import Case
from slowlink.expect.unnamed import Unnamed
from slowlink.expect.unnamed import unnamed as as_it_is


def log(rows: int) -> bytes:
    """A CSV of rccl-tests with a run of its own in each row, of which the first is slow."""
    head = "numCycle,collective,ranks,rankspernode,gpusperrank,size,type,redop,inplace,time,algbw,busbw,#wrong\n"
    slow, fast = "1073741.8,1.0,1.875", "6000.0,178.9,335.5"
    rows_of_runs = (
        f'{row},"AllReduce",{16 + 8 * row},8,1,1073741824,"float","sum",0,{fast if row else slow},"0"\n'
        for row in range(rows)
    )
    return "".join([head, *rows_of_runs]).encode()


def test_the_slowest_and_the_fastest_are_weighed(monkeypatch: pytest.MonkeyPatch) -> None:
    weighed: list[str] = []

    def unnamed(case: Case, subject: str, *, ports: int | None, hosts: Sequence[str] = ()) -> Unnamed | None:
        weighed.append(subject)
        return as_it_is(case, subject, ports=ports, hosts=hosts)

    monkeypatch.setattr(assemble, "unnamed", unnamed)
    monkeypatch.setattr(assemble, "_MOST_WEIGHED", 5)
    all_of_few = slowlink.analyze(log(9))
    assert len(set(weighed)) == 9
    weighed.clear()
    many = slowlink.analyze(log(60))
    assert len(set(weighed)) == 10
    assert many.verdict == all_of_few.verdict != "healthy"
