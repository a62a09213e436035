from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink.report.folding import fold_groups, fold_names, fold_repeats, shape_of, short_sets


@pytest.mark.parametrize(
    ("names", "groups"),
    [
        ([], []),
        (["node07"], ["node07"]),
        (["node1", "node2", "node3", "node7", "login"], ["node[1-3,7]", "login"]),
        (["n08", "n09", "n10", "n11"], ["n[08-11]"]),
        (["node9", "node10"], ["node[9-10]"]),
        (["node1", "node01"], ["node[1,01]"]),
        (["r1n1", "r1n2", "r2n1", "r2n2"], ["r[1-2]n[1-2]"]),
        (["r1n1", "r2n2"], ["r1n1", "r2n2"]),
        (["10.0.0.1", "10.0.0.2"], ["10.0.0.[1-2]"]),
        (["mlx5_0:1/IB", "mlx5_1:1/IB"], ["mlx5_[0-1]:1/IB"]),
        (["b", "a", "b"], ["b", "a"]),
    ],
)
def test_names_fold(names: list[str], groups: list[str]) -> None:
    assert fold_groups(names) == groups


def unfold(group: str) -> list[str]:
    """The names of a group with at most one range, as a reader would read it."""
    match = re.search(r"\[([0-9,-]+)\]", group)
    if match is None:
        return [group]
    numbers = []
    for part in match.group(1).split(","):
        first, _, last = part.partition("-")
        width = len(first)
        numbers += [str(value).zfill(width) for value in range(int(first), int(last or first) + 1)]
    return [group[: match.start()] + number + group[match.end() :] for number in numbers]


@given(st.sets(st.integers(0, 300)), st.integers(1, 3))
def test_folding_loses_and_invents_nothing(numbers: set[int], width: int) -> None:
    names = {f"node{str(number).zfill(width)}" for number in numbers}
    assert {name for group in fold_groups(names) for name in unfold(group)} == names


def test_many_groups_are_counted_and_not_listed() -> None:
    names = [chr(ord("a") + index) * 3 for index in range(20)]
    assert fold_names(names, limit=2) == "aaa, bbb and 18 more"


@given(st.lists(st.text()))
def test_any_names_fold(names: list[str]) -> None:
    assert isinstance(fold_names(names), str)


def test_a_number_longer_than_any_integer_is_no_trouble() -> None:
    assert fold_groups(["1" * 5000]) == ["1" * 5000]


def test_lines_of_equal_shape_differ_in_numbers_and_suspects_only() -> None:
    first = shape_of("node07:2211 [0] HCA 0 'mlx5_0' 0xdeadbeef", ["node07"])
    assert first == shape_of("gpu-a:17 [3] HCA 3 'mlx5_3' 0x1234abcd", ["gpu-a"])
    assert first != shape_of("node07:2211 [0] HCA 0 'mlx4_0' up", ["node07"])


def test_repeats_are_grouped_wherever_they_stand() -> None:
    assert fold_repeats(["a", "b", "a"]) == [(0, 2, 2), (1, 1, 1)]


ODD = "gpu[" + ",".join(f"{number:03d}" for number in range(1, 60, 2)) + "]"


def test_a_long_set_in_a_sentence_is_its_number_and_the_first_of_it() -> None:
    assert short_sets(f"{ODD}: a port is slow", 512) == (
        "30 of 512 nodes (gpu[001,003,005,007,009,011,...]): a port is slow"
    )
    assert short_sets(f"ranks {ODD}") == "ranks gpu[001,003,005,007,009,011,...] (30 in all)"
    assert short_sets("gpu[001-512]: all of them", 512) == "gpu[001-512]: all of them"
    assert short_sets("a" * 10_000 + "[" + "1," * 10_000) == "a" * 10_000 + "[" + "1," * 10_000


@given(st.sets(st.integers(0, 4000), min_size=30))
def test_a_long_set_is_counted_right(numbers: set[int]) -> None:
    folded = fold_names(f"node{number:04d}" for number in numbers)
    short = short_sets(folded, 4001)
    assert short == folded or short.startswith(f"{len(numbers)} of 4001 nodes (node[")


@given(st.text("ab[]0123456789,-.", max_size=200))
def test_any_text_may_hold_brackets(text: str) -> None:
    assert isinstance(short_sets(text, 7), str)
