from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink.errors import SlowlinkError
from slowlink.launch.hostfiles import hydra_hostfile, openmpi_hostfile, parse_hostfile
from slowlink.launch.layout import Share
from slowlink.model.plan import Node


def read(text: str) -> dict[str, int | None]:
    return {node.name: node.slots for node in parse_hostfile(text, "hosts").nodes}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a slots=4\nb slots=8 max_slots=16\n", {"a": 4, "b": 8}),
        ("a:2\nb:4\n", {"a": 2, "b": 4}),
        ("b\na\n", {"b": None, "a": None}),
        ("# of the cluster\n\n  a   # the first\n\tb\tslots=2\n", {"a": None, "b": 2}),
        ("gpu[01-03] slots=8\n", {"gpu01": 8, "gpu02": 8, "gpu03": 8}),
        ("gpu[1-2]:4\n", {"gpu1": 4, "gpu2": 4}),
        ("a\na\nb\n", {"a": 2, "b": None}),
        ("a slots=2\na slots=3\n", {"a": 5}),
        ("a:2 binding=rr\n", {"a": 2}),
        ("10.0.0.1 slots=1\r\n10.0.0.2 slots=1\r\n", {"10.0.0.1": 1, "10.0.0.2": 1}),
    ],
)
def test_each_notation(text: str, expected: dict[str, int | None]) -> None:
    assert read(text) == expected
    assert list(read(text)) == list(expected)


@pytest.mark.parametrize(
    ("text", "slug", "words"),
    [
        ("", "no-nodes", "names no host"),
        ("# nothing\n\n", "no-nodes", "names no host"),
        ("a\nb slots=many\n", "bad-hostfile", "hosts:2"),
        ("a slots 4\n", "bad-hostfile", "hosts:1"),
        ("a:x\n", "bad-hostfile", "hosts:1"),
        ("a:²\n", "bad-hostfile", "hosts:1"),
        ("-oProxyCommand=reboot\n", "bad-hostfile", "hosts:1"),
        ("$(reboot)\n", "bad-hostfile", "hosts:1"),
        ("gpu[1-\n", "bad-node-set", "gpu"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_line(text: str, slug: str, words: str) -> None:
    with pytest.raises(SlowlinkError, match=words) as caught:
        read(text)
    assert caught.value.slug == slug
    assert caught.value.hint


@given(st.text(max_size=200))
def test_any_text_gives_nodes_or_an_error_for_the_user(text: str) -> None:
    try:
        allocation = parse_hostfile(text, "hosts")
    except SlowlinkError:
        return
    assert allocation.nodes
    assert not any(node.name.startswith("-") for node in allocation.nodes)


@given(
    st.dictionaries(st.from_regex(r"[a-z][a-z0-9]{0,8}", fullmatch=True), st.integers(1, 99), min_size=1, max_size=8)
)
def test_what_is_written_reads_back(slots: dict[str, int]) -> None:
    shares = tuple(Share(Node(name), count) for name, count in slots.items())
    assert read(openmpi_hostfile(shares)) == slots
    assert read(hydra_hostfile(shares)) == slots
