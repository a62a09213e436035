"""Dumps of many ranks joined: who waits for whom, over all ways in which a job can stand still."""

from __future__ import annotations

import json
from collections.abc import Mapping

from hypothesis import given, settings
from hypothesis import strategies as st

from hang_jobs import Dump, data_parallel, dump, entry, status
from slowlink.facts.hang import flights
from slowlink.facts.hang.group_names import short_group
from slowlink.inputs import Input
from slowlink.model.hang import FlightSet
from slowlink.parsers.reading.read import read


def sets_of(*jobs: Mapping[int, Dump]) -> tuple[FlightSet, ...]:
    inputs = [
        Input(f"d{number}/rank_{rank}.json", None, [json.dumps({"rank": rank, "dump": content}).encode()])
        for number, dumps in enumerate(jobs)
        for rank, content in dumps.items()
    ]
    found = flights(read(inputs, workers=1))
    assert found is not None
    return found.all


def blocked(*jobs: Mapping[int, Dump]) -> list[tuple[int, str]]:
    (found,) = sets_of(*jobs)
    return [(each.rank, each.reason) for each in found.blocked]


def test_nothing_was_read() -> None:
    assert flights(read([Input("x.log", None, [b"hello\n"])], workers=1)) is None


def test_where_every_member_of_a_group_stands() -> None:
    job = data_parallel({0: 9, 1: 9, 2: 8, 3: 9}, completed=8, nranks=5)
    job[3]["entries"][-1]["state"] = "completed"
    (found,) = sets_of(job)
    (wait,) = found.waits
    assert (wait.waiting, wait.absent, wait.elsewhere, wait.done, wait.unknown) == ((0, 1), (2,), (), (3,), (4,))
    assert (found.missing, found.ranks) == ((4,), (0, 1, 2, 3, 4))


def test_operations_that_left_the_buffer_are_done() -> None:
    job = data_parallel({0: 9, 1: 12}, completed=8)
    job[1]["entries"] = job[1]["entries"][10:]
    (found,) = sets_of(job)
    assert next(wait for wait in found.waits if wait.waiting == (0,)).done == (1,)


def test_parts_of_coalesced_operations_are_never_marked_and_do_not_count() -> None:
    """Their entries stay scheduled; a newer completed one of the group, or the group's status, has passed them."""
    job = data_parallel({0: 9, 1: 9}, completed=9)
    for content in job.values():
        content["entries"][3]["state"] = "scheduled"
        content["pg_status"] = {}
    assert blocked(job) == []
    alone = {
        r: dump([entry(4, 4, state="scheduled")], {"0": ("default_pg", [0, 1])}, {"0": status(4, 4)}) for r in (0, 1)
    }
    (found,) = sets_of(alone)
    assert found.oldest == {}


def test_a_status_that_counts_sends_is_not_taken_for_one_of_collectives() -> None:
    """The group's last number is 900, of sends; its collective 9 is under way all the same."""
    group = {"0": ("default_pg", [0, 1])}
    job = {r: dump([entry(4, 9, state="scheduled")], group, {"0": status(900, 900)}) for r in (0, 1)}
    (found,) = sets_of(job)
    assert [wait.waiting for wait in found.together] == [(0, 1)]


def test_two_jobs_are_two() -> None:
    first, second = data_parallel({0: 9, 1: 8}, completed=8), data_parallel({0: 9, 1: 9, 2: 8}, completed=8)
    assert [(len(each.ranks), [b.rank for b in each.blocked], each.moved) for each in sets_of(first, second)] == [
        (2, [1], False),
        (3, [2], False),
    ]


def test_groups_have_short_names() -> None:
    assert [short_group(name) for name in ("EXPERT_MODEL_PARALLEL_GROUP", "TP_GROUP", "default_pg", "_GROUP")] == [
        "EXPERT_MODEL",
        "TP",
        "default_pg",
        "_GROUP",
    ]
    assert [short_group(name) for name in ("", "undefined")] == ["", ""]


@given(st.integers(2, 12), st.integers(1, 20), st.data())
@settings(max_examples=40, deadline=None)
def test_whoever_did_not_come_is_named_and_nobody_else(nranks: int, last: int, data: st.DataObject) -> None:
    late = data.draw(st.sets(st.integers(0, nranks - 1), min_size=1, max_size=nranks - 1))
    job = data_parallel({rank: last - (rank in late) for rank in range(nranks)}, completed=last - 1)
    (found,) = sets_of(job)
    assert {each.rank for each in found.blocked} == late
    assert set(found.held_up) == set(range(nranks)) - late


STATES = st.sampled_from(["scheduled", "started", "completed", ""])


@st.composite
def jobs(draw: st.DrawFn) -> dict[int, Dump]:
    """Ranks that did anything in any order in overlapping groups."""
    nranks = draw(st.integers(1, 5))
    groups = {
        str(number): (draw(st.sampled_from(["A_GROUP", "B_GROUP", ""])), sorted(members))
        for number, members in enumerate(draw(st.lists(st.sets(st.integers(0, nranks), min_size=1), max_size=3)))
    }
    found = {}
    for rank in draw(st.sets(st.integers(0, nranks - 1), min_size=1)):
        entries = []
        for record in range(draw(st.integers(0, 6))):
            name = draw(st.sampled_from([*groups, "9"]))
            me, peer = draw(st.integers(0, 3)), draw(st.integers(0, 3))
            p2p = draw(st.booleans())
            entries.append(
                entry(
                    record,
                    draw(st.integers(0, 3)),
                    operation=f"send {me}->{peer}" if p2p else draw(st.sampled_from(["all_reduce", "broadcast"])),
                    group=(name, "A_GROUP"),
                    group_id=int(name),
                    p2p=p2p,
                    state=draw(STATES),
                )
            )
        found[rank] = dump(entries, groups, {name: status(draw(st.integers(-1, 3)), 1) for name in groups})
    return found


@given(jobs())
@settings(max_examples=120, deadline=None)
def test_any_job_gives_a_picture_without_contradiction(job: dict[int, Dump]) -> None:
    (found,) = sets_of(job)
    assert set(found.held_up) | {each.rank for each in found.blocked} >= set(found.oldest)
    for each in found.blocked:
        assert each.waits
        assert each.rank not in found.held_up
        assert (each.reason == "silent") == (each.rank not in found.dumps)
    for wait in found.waits:
        places = (*wait.waiting, *wait.absent, *wait.elsewhere, *wait.done, *wait.unknown)
        assert len(places) == len(set(places))
        assert wait.waiting


def test_one_dump_of_a_very_large_job() -> None:
    """Every other rank is unknown; the work must stay linear in them, or this never ends."""
    nranks = 50_000
    (found,) = sets_of(data_parallel({7: 2}, completed=1, nranks=nranks))
    assert (len(found.missing), len(found.blocked), found.blocked[0].reason) == (nranks - 1, nranks - 1, "silent")
