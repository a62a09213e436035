from __future__ import annotations

from contextlib import suppress

import pytest
from ClusterShell.NodeSet import RESOLVER_NOGROUP, NodeSet, NodeSetException
from hypothesis import given
from hypothesis import strategies as st

from slowlink.errors import SlowlinkError
from slowlink.nodes import NodeLists, expand, fold, without_names

MANY = ",".join(map(str, range(1, 1000)))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("node[01-03],login", ["node01", "node02", "node03", "login"]),
        ("b,a", ["b", "a"]),
        ("b,a,b", ["b", "a"]),
        ("a[1-3],b[1,3-4]", ["a1", "a2", "a3", "b1", "b3", "b4"]),
        ("r[1-2]n[1-2]", ["r1n1", "r1n2", "r2n1", "r2n2"]),
        ("n[1-4]!n[2-3]", ["n1", "n4"]),
        ("n[1-4]&n[2-7]", ["n2", "n3", "n4"]),
        ("n[1-3]^n[2-5]", ["n1", "n4", "n5"]),
        ("b,a!b,c", ["a", "c"]),
        ("n1[8-11]", ["n18", "n19", "n110", "n111"]),
        ("n1[08-10]", ["n108", "n109", "n110"]),
        ("n[9-11]5", ["n95", "n105", "n115"]),
        ("n[1-2]5[1-2]", ["n151", "n152", "n251", "n252"]),
        ("n1[1-3]!n12", ["n11", "n13"]),
        ("n123456789[0-10]", [f"n123456789{number}" for number in range(11)]),
        ("", []),
    ],
)
def test_names_in_the_order_given(text: str, names: list[str]) -> None:
    assert expand(text) == names


@pytest.mark.parametrize(
    "text",
    [
        f"r[{MANY}]n[{MANY}]",
        "n[1-",
        *("n[1-9_999_999]", "n[1- 9999999]", "n[1 -3]", "n[1-+3]", "n[1-\uff19]", "n[-1-2]", "n[]", "n[a]"),
        "n[1-9999999/9999999999]",
        "a,,b",
        "a!",
        "!a",
        "n\x02[1-2]",
        "n[----]",
        "n[1-99999999999]",
        "r[1-1000]n[1-1000]",
        "n[" + "9" * 30 + "]",
    ],
)
def test_what_cannot_be_meant(text: str) -> None:
    with pytest.raises(SlowlinkError) as caught:
        expand(text)
    assert caught.value.slug == "bad-node-set"


@given(
    st.text("ab.-_0179", max_size=4).map("n".__add__).map(lambda head: head.rstrip("0179")),
    st.from_regex(r"[0-9]{1,2}", fullmatch=True),
    st.from_regex(r"[0-9]{1,3}", fullmatch=True),
    st.sampled_from(["", "-ib", ".x"]),
)
def test_one_range_is_what_clustershell_makes_of_it(head: str, first: str, last: str, tail: str) -> None:
    text = f"{head}[{first}-{last}]{tail}"
    try:
        expected = list(NodeSet(text, resolver=RESOLVER_NOGROUP))
    except (NodeSetException, ValueError):
        with pytest.raises(SlowlinkError):
            expand(text)
    else:
        assert expand(text) == expected


def test_the_sets_of_an_input_have_a_limit_together() -> None:
    sets = NodeLists(10, most_in_one=6)
    assert sets.names("n[1-3]") == ("n1", "n2", "n3")
    assert sets.names("n[1-7]") is None  # too many in one
    assert sets.names("n[1-") is None
    assert sets.names("m[1-5]") == ("m1", "m2", "m3", "m4", "m5")
    assert sets.names("o1") is None  # too many together
    assert sets.names("n[1-3]") == ("n1", "n2", "n3")  # known already


def test_many_nodes_are_no_mistake() -> None:
    assert len(expand("a[1-40000],b[1-40000]")) == 80000


@given(st.text("n[]01-9,!&^@/ ", max_size=24))
def test_any_text_gives_names_or_an_error_for_the_user(text: str) -> None:
    with suppress(SlowlinkError):
        assert isinstance(expand(text), list)


def test_a_group_of_a_source_that_the_site_lacks_is_an_error_with_words() -> None:
    for text in ("@no-such-source:gpu", "a,@no-such-source:gpu", "@no-such-source:gpu!a"):
        with pytest.raises(SlowlinkError, match="cannot read the node set"):
            expand(text, groups=True)


def test_groups_are_not_looked_up() -> None:
    assert expand("@gpu") == ["@gpu"]
    assert fold(["@gpu", "a1", "a2"]) == "@gpu,a1,a2"


@pytest.mark.parametrize(
    ("names", "folded"),
    [
        (["node03", "node01", "node02"], "node[01-03]"),
        (["n[1-99999999999]", "b"], "n[1-99999999999],b"),
        (["10.0.0.1", "10.0.0.2"], "10.0.0.[1-2]"),
        ([], ""),
    ],
)
def test_fold(names: list[str], folded: str) -> None:
    assert fold(names) == folded


@given(st.lists(st.from_regex(r"[a-c.:-]{0,2}[0-9]{0,3}[a-c.-]{0,2}[0-9]?", fullmatch=True).filter(bool), max_size=8))
def test_numbers_that_are_joined_first_fold_as_each_name_alone_does(names: list[str]) -> None:
    try:
        alone = str(NodeSet.fromlist(names, resolver=RESOLVER_NOGROUP))
    except (NodeSetException, ValueError):
        alone = ",".join(names)
    assert fold(names) == alone


def test_names_are_taken_out_of_a_text_however_many_there_are() -> None:
    text = "gpu07, login and gpu08.site: a port is down; login-2 is fine."
    few = ["gpu07", "login", "gpu08.site"]
    assert without_names(text, few, "0") == "0, 0 and 0: a port is down; 0-2 is fine."
    many = [*few, *(f"n{number}" for number in range(1000))]
    assert without_names(text, many, "0") == "0, 0 and 0: a port is down; login-2 is fine."
