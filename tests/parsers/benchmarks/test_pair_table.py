"""Tables of pairs in nobody's format, and what follows from them."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from whole_inputs import checked

from slowlink.inputs import Input
from slowlink.model.benchmark import PairTable
from slowlink.parsers.reading.read import read

NODES = ("hx01", "hx02", "hx03", "hx05", "hx06")
PAIRS = tuple(combinations(NODES, 2))
HEADED = "node A - node B     out-of-place  in-place  #wrong  (busbw GB/s)\n----------------\n"


def table(row: str, slow: tuple[str, ...] = ("hx06",), head: str = "") -> str:
    """One row a pair; those of a ``slow`` node, or the one pair of two names, give half."""
    lines = []
    for number, (a, b) in enumerate(PAIRS):
        ill = {*slow} <= {a, b}
        bandwidth = (118.0 if ill and slow else 230.5) + number / 10
        lines.append(row.format(a=a, b=b, x=f"{bandwidth:.2f}", y=f"{bandwidth - 0.2:.2f}", i=round(bandwidth)))
    return head + "\n".join(lines) + "\n"


def tables(text: str) -> tuple[PairTable, ...]:
    return read([Input("survey.txt", None, [text.encode()])], workers=1).pair_tables


def said(text: str) -> list[tuple[str, str]]:
    return [(found.cause, found.message) for found in checked(text).findings]


@pytest.mark.parametrize(
    ("head", "row"),
    [
        (HEADED, "{a} - {b}        {x}    {y}      0"),
        ("", "{a} {b} {x}"),
        ("", "{a}<->{b}: {i} GB/s"),
        ("node1,node2,busbw_gbps\n", "{a},{b},{x}"),
        ("", "{a},{b},{x}"),
        ("| node a | node b | busbw (GB/s) |\n|---|---|---|\n", "| {a} | {b} | {x} |"),
        ("", "[3/10] {a} -> {b}  8G  {x} GB/s  OK"),
        ("", "{a}-{b} {x}"),
        ("", "{a} -> {b}: busbw={x} GB/s"),
        ("pair  time(us)  busbw(GB/s)\n", "{a}:{b}  3500.1  {x}"),
        ("", "{a} {b} # Avg bus bandwidth    : {x} "),
        ("", "{a}-{b} all_reduce Avg bus bandwidth : {x}"),
        ("", "{a} <-> {b} measured busbw (GB/s): {x}"),
        ("", "{a},{b}: we got {x} GB/s"),
    ],
)
def test_a_node_that_is_slow_with_everybody_in_many_forms(head: str, row: str) -> None:
    ((cause, message),) = said(table(row, head=head))
    assert cause == "straggler-node"
    assert message.startswith("hx06 is slow with 4 of its 4 partners")
    assert {each.name for found in checked(table(row, head=head)).findings for each in found.suspects} == {"hx06"}


@pytest.mark.parametrize("name", ["dev-gpu{}", "ib-n{}", "test-node-{}", "node999{}"])
def test_hosts_may_be_named_after_what_they_are_for(name: str) -> None:
    names = [name.format(number) for number in (8, 9)] + [name.replace("999", "1000").format(n) for n in (0, 1)]
    (found,) = tables("".join(f"{a} {b} 230.5 GB/s\n" for a, b in combinations(names, 2)))
    assert len(found.rows) == 6


def test_one_slow_pair_is_a_slow_path() -> None:
    text = table("{a} - {b}        {x}    {y}      0", slow=("hx02", "hx05"), head=HEADED)
    assert said(text) == snapshot(
        [
            (
                "slow-path",
                "1 of 10 pairs of nodes is slow in the table of pairs (hx02 - hx05) while their ends are fine with others: down to 118.5 of 230.9 GB/s",
            )
        ]
    )


def test_pairs_that_agree_prove_that_they_agree_and_not_that_they_are_fast() -> None:
    made = checked(table("{a} {b} {x} GB/s", slow=()))
    assert made.findings == ()
    assert [(proof.message, proof.weight) for proof in made.proofs] == snapshot(
        [("10 pairs of nodes agree on 230.9 GB/s of the table of pairs", 0)]
    )


def test_a_pair_that_shows_a_failure_did_not_finish() -> None:
    text = table("{a} {b} {x} GB/s", slow=()) + "hx02 hx07 FAILED\nhx05 hx07 TIMEOUT\n"
    assert said(text) == snapshot(
        [("rank-lost", "2 pairs did not finish (hx02 - hx07, hx05 - hx07); hx07 is in 2 of them")]
    )


def test_what_was_measured_is_the_column_that_says_so() -> None:
    (found,) = tables(table("{a}  {b}  1024  12.5  {x}", head="host1  host2  size  latency(us)  busbw(GB/s)\n"))
    assert (found.rows[0].amount, found.unit, len(found.rows)) == (230.5, "GB/s", 10)


@pytest.mark.parametrize(
    "text",
    [
        table("{a} {b} {x}", head="src  dst  latency(us)\n"),
        table("{a} {b} {x} us"),
        "".join(f"mlx5_{n} mlx5_{n + 1} {390 + n}.5\nmlx5_{n} mlx5_{n + 2} {390 + n}.5\n" for n in range(6)),
        "".join(f"GPU{a} GPU{b} 45.{b}\n" for a, b in combinations(range(5), 2)),
        "".join(f"rank{a} rank{b} 45.{b}\n" for a, b in combinations(range(5), 2)),
        "".join(f"tp{a} tp{b} 45.{b}\n" for a, b in combinations(range(5), 2)),
        "".join(f"swp{a} swp{b} 45.{b}\n" for a, b in combinations(range(5), 2)),
        "".join(f"layer.{a} layer.{b} 45.{b}\n" for a, b in combinations(range(5), 2)),
        "".join(f"hx{n:02} hx{n + 1:02} 230.1\n" for n in range(1, 16, 2)),
        "".join(table("{a} {b} {x}").splitlines(keepends=True)[:5]),
        "".join(f"v1.{n} build{n} 23.{n}\nv1.{n} build{n + 1} 23.{n}\n" for n in range(8)),
        "".join(f"hx01 eth{n} 25.{n}\nhx02 eth{n} 25.{n}\n" for n in range(8)),
    ],
    ids=[
        "latency",
        "us",
        "devices",
        "gpus",
        "ranks",
        "groups",
        "switch-ports",
        "layers",
        "each-once",
        "few",
        "versions",
        "interfaces",
    ],
)
def test_other_tables_are_no_survey_of_pairs(text: str) -> None:
    assert tables(text) == ()


@given(
    st.lists(
        st.sampled_from(["hx01", "hx02", " ", "-", ",", "|", ":", "230.5", "GB/s", "0", "\n", "FAILED", "é"]),
        max_size=60,
    )
)
def test_any_text_gives_a_result(words: list[str]) -> None:
    for found in tables("".join(words)):
        assert len({frozenset((row.a, row.b)) for row in found.rows}) >= 6


def test_small_numbers_that_nothing_names_call_nobody_slow() -> None:
    text = "".join(f"cn20{a} cn20{b} {1.6 if 4 in (a, b) else 3.9}\n" for a in range(1, 5) for b in range(a + 1, 5))
    assert said(text) == snapshot(
        [
            (
                "node-differs",
                "cn204 differs with 3 of its 3 partners: the table of pairs gives 1.6, pairs without it 3.9; of bandwidth "
                "that is slow, of times fast, and nothing says which it is",
            )
        ]
    )
    assert [cause for cause, _ in said("src dst GB/s\n" + text)] == ["straggler-node"]


@pytest.mark.parametrize(
    "row",
    [
        "{a} {b} retries seen in the window: {i}",
        "{a} {b} latency of the bandwidth test: {x}",
        "{a} {b} bandwidth fell to {x} at {i}",
        "{a} {b} bandwidth {x} was asked for",
        "{a}-{b} connected over port {i}",
    ],
)
def test_words_that_do_not_call_the_only_number_a_bandwidth_make_no_table(row: str) -> None:
    assert tables(table(row)) == ()


def test_rows_that_say_what_they_measured_may_be_three() -> None:
    row = "{} {} # Avg bus bandwidth    : {}\n"
    pairs = (("ka1", "ka2"), ("ka2", "ka3"), ("ka3", "ka4"))
    (found,) = tables(
        "".join(row.format(a, b, number) for (a, b), number in zip(pairs, (91.2, 44.1, 91.4), strict=True))
    )
    assert (found.unit, found.told, [each.amount for each in found.rows]) == ("GB/s", True, [91.2, 44.1, 91.4])
    ((cause, message),) = said("".join(row.format(*pair, 91.2 - 40 * (pair[0] == "ka2")) for pair in pairs))
    assert cause == "slow-path"
    assert "ka2 - ka3" in message


def test_a_table_whose_larger_half_is_slow_is_no_agreement() -> None:
    row = "{} {} # Avg bus bandwidth    : {}\n"
    slow = "".join(
        row.format(a, b, number) for a, b, number in (("n1", "n2", 240.3), ("n1", "n3", 451.3), ("n2", "n3", 240.9))
    )
    assert said(slow) == []
    assert not any("agree" in proof.message for proof in checked(slow).proofs)
