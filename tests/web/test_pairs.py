"""Pairs of nodes as a matrix: the slowest first, and what did not finish before them."""

from __future__ import annotations

import re

from inline_snapshot import snapshot

from slowlink.report.web.pairs import has_pairs, matrix_views, pair_matrices
from web.serving import HOSTILE, report

NODES = ("n1", "n2", "n3")


def test_a_matrix_says_what_is_slow_and_what_did_not_finish() -> None:
    whole = report(NODES, pairs=(("n1", "n2", 390.0), ("n2", "n3", 190.0), ("n3", "n1", None), ("n2", "n1", 380.0)))
    (view,) = matrix_views(whole)
    assert (view.title, view.summary, view.slowest) == snapshot(
        (
            "all_reduce, 16 ranks",
            "3 pairs of 3 nodes; median 288 GB/s; 1 did not finish",
            (
                ("n1 - n3", "did not finish", "-", "1", "pairs/2.log:12"),
                ("n2 - n3", "190", "66%", "1", "pairs/1.log:12"),
                ("n1 - n2", "385", "134%", "2", "pairs/3.log:12"),
            ),
        )
    )
    drawn = re.findall(r'<rect class="pair (\w+)"[^>]*><title>([^<]*)', view.svg)
    assert sorted(set(drawn)) == snapshot(
        [
            ("lower", "n2 - n3: 190 GB/s (pairs/1.log:12)"),
            ("unfinished", "n1 - n3: did not finish (pairs/2.log:12)"),
            ("usual", "n1 - n2: 385 GB/s (pairs/3.log:12)"),
        ]
    )
    assert len(drawn) == 6, "on both sides of the diagonal"


def test_less_than_three_pairs_are_no_matrix() -> None:
    assert not has_pairs(report(NODES, pairs=(("n1", "n2", 390.0), ("n2", "n3", 190.0))))
    assert pair_matrices(report(NODES)) == ()


def test_of_many_nodes_those_of_the_slowest_pairs_are_drawn() -> None:
    names = [f"n{number:03d}" for number in range(200)]
    pairs = [(names[number], names[number + 1], 390.0 + number) for number in range(199)]
    pairs[150] = ("n150", "n151", 50.0)
    (view,) = matrix_views(report(tuple(names), pairs=tuple(pairs)))
    assert "the picture has the 64 nodes of the slowest pairs" in view.summary
    assert "n150 - n151: 50 GB/s" in view.svg


def test_hostile_names_are_text() -> None:
    (view,) = matrix_views(report(NODES, pairs=((HOSTILE, "n2", 1.0), ("n2", "n3", 2.0), ("n3", HOSTILE, 3.0))))
    assert "<script" not in view.svg
    assert "\\x1b[2J" in view.svg
    assert "\u202e" not in view.svg
