"""ibtracert: the links on a route."""

from __future__ import annotations

import fabric_texts as texts
from fabric_reading import said
from inline_snapshot import snapshot

from slowlink.parsers.fabric.ibtracert import IbTracert


def test_route_of_ibtracert() -> None:
    assert said(IbTracert, texts.ROUTE) == snapshot(
        [("gpu01 mlx5_0/1", "link-peer", "leafa/1"), ("leafa/2", "link-peer", "gpu02 mlx5_0/1")]
    )


def test_the_form_without_names() -> None:
    text = (
        'From ca {0x0c42a10300aa0100} portnum 1 lid 21-21 "gpu01 mlx5_0"\n[1] -> {0x0c42a10300aa1000}[1]\n'
        "[2] -> {0x0c42a10300aa0200}[1]\n"
    )
    assert said(IbTracert, text) == snapshot(
        [
            ("gpu01 mlx5_0/1", "link-peer", "0x0c42a10300aa1000/1"),
            ("0x0c42a10300aa1000/2", "link-peer", "0x0c42a10300aa0200/1"),
        ]
    )


def test_hops_whose_start_is_cut_off() -> None:
    assert said(IbTracert, "\n".join(texts.ROUTE.splitlines()[1:])) == snapshot(
        [("leafa/2", "link-peer", "gpu02 mlx5_0/1")]
    )


def test_a_hop_that_is_cut_is_not_read() -> None:
    start, hop = texts.ROUTE.splitlines()[:2]
    assert said(IbTracert, f"{start}\n{hop[: hop.index('}')]}") == []
