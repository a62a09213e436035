"""A limit is never passed in silence."""

from __future__ import annotations

from slowlink.parsers.forms.limit import Limit, heard_by, not_all_kept


def test_a_limit_tells_its_hearer_when_there_is_no_room_and_only_then() -> None:
    jobs, heard = Limit(2, "jobs"), list[Limit]()
    with heard_by(heard.append):
        assert [jobs.has_room(kept) for kept in (0, 1)] == [True, True]
        assert heard == []
        assert not jobs.has_room(2)
    assert not jobs.has_room(3)  # nobody listens any more
    assert [not_all_kept(limit, "sacct") for limit in heard] == [
        "holds more than 2 jobs of sacct; not all of them were kept"
    ]


def test_what_is_cut_off_a_list_is_told_and_a_list_that_just_fits_is_whole() -> None:
    nodes, heard = Limit(3, "nodes"), list[Limit]()
    with heard_by(heard.append):
        assert nodes.first("abc") == ["a", "b", "c"]
        assert nodes.last("abc") == "abc"
        assert heard == []
        assert nodes.first(iter("abcd")) == ["a", "b", "c"]
        assert nodes.last("abcd") == "bcd"
    assert heard == [nodes, nodes]


def test_the_inner_of_two_hearers_hears() -> None:
    outer, inner = list[Limit](), list[Limit]()
    with heard_by(outer.append):
        with heard_by(inner.append):
            Limit(0, "readings").has_room(0)
        Limit(0, "jobs").has_room(0)
    assert ([limit.what for limit in outer], [limit.what for limit in inner]) == (["jobs"], ["readings"])
