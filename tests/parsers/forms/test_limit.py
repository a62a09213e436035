"""A limit is never passed in silence."""

from __future__ import annotations

from slowlink.parsers.forms.limit import OF_SOURCE, Limit, Room, kept_in, not_all_kept


def test_a_limit_tells_its_hearer_when_there_is_no_room_and_only_then() -> None:
    jobs, heard = Limit(2, "jobs"), list[Limit]()
    with kept_in(Room(heard.append)):
        assert [jobs.has_room(kept) for kept in (0, 1)] == [True, True]
        assert heard == []
        assert not jobs.has_room(2)
    assert not jobs.has_room(3)  # nobody listens any more
    assert [not_all_kept(limit, "sacct") for limit in heard] == [
        "holds more than 2 jobs of sacct; not all of them were kept"
    ]


def test_what_is_cut_off_a_list_is_told_and_a_list_that_just_fits_is_whole() -> None:
    nodes, heard = Limit(3, "nodes"), list[Limit]()
    with kept_in(Room(heard.append)):
        assert nodes.first("abc") == ["a", "b", "c"]
        assert nodes.last("abc") == "abc"
        assert heard == []
        assert nodes.first(iter("abcd")) == ["a", "b", "c"]
        assert nodes.last("abcd") == "bcd"
    assert heard == [nodes, nodes]


def test_the_inner_of_two_hearers_hears() -> None:
    outer, inner = list[Limit](), list[Limit]()
    with kept_in(Room(outer.append)):
        with kept_in(Room(inner.append)):
            Limit(0, "readings").has_room(0)
        Limit(0, "jobs").has_room(0)
    assert ([limit.what for limit in outer], [limit.what for limit in inner]) == (["jobs"], ["readings"])


def test_what_parsers_keep_together_is_bounded_by_the_room_of_their_source() -> None:
    jobs, nodes, heard = Limit(10, "jobs"), Limit(10, "nodes"), list[Limit]()
    with kept_in(Room(heard.append, most=6)):
        assert [jobs.has_room(kept) for kept in (0, 1)] == [True, True]
        assert (nodes.first("abc"), nodes.last("def"), heard) == (["a", "b", "c"], "f", [OF_SOURCE])
        assert not jobs.has_room(2)
        assert (nodes.first("g"), nodes.last("h")) == ([], "")
    assert not_all_kept(heard[0], "sacct") == (
        "holds more than 2,000,000 values and messages; not all of them were kept"
    )
