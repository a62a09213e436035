"""RDMA tools on a host: every form gives readings in one spelling, and next to no line stays unread."""

from __future__ import annotations

import pytest
import rdma_texts
from hypothesis import given, settings
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.inputs import Input
from slowlink.model.records import Records
from slowlink.parsers.reading.read import read

TEXTS = list(rdma_texts.ALL.values())


def records(text: str) -> Records:
    return read([Input("t", None, [text.encode()])], workers=1)


def said(text: str) -> list[str]:
    """``attribute part = value`` of every reading, with the node where one is told."""
    return [
        f"{r.attribute} {r.part.name} = {r.value}{f' @{r.host}' if r.host else ''}".replace("  ", " ")
        for r in records(text).readings
    ]


@pytest.mark.parametrize("name", sorted(rdma_texts.ALL))
def test_next_to_no_line_stays_unread(name: str) -> None:
    (source,) = records(rdma_texts.ALL[name]).sources
    assert [ref.text for ref in source.unread_samples if not ref.text.startswith("#")] == []


def test_kernel_file_listing() -> None:
    assert said(rdma_texts.PASTED_FILES) == snapshot(
        [
            "port-state mlx5_1/1 = Down",
            "port-physical-state mlx5_1/1 = Polling",
            "port-physical-state mlx5_2/1 = LinkUp",
            "interface-mtu ens1np0 = 9000",
            "port-rate mlx5_4/1 = 400.0",
            "port-width mlx5_4/1 = 4",
            "gid-value mlx5_4/1/3 = 0000:0000:0000:0000:0000:ffff:0a01:0204",
            "gid-ipv4 mlx5_4/1/3 = 10.1.2.4",
            "port-rate mlx5_3/1 = 200.0",
            "port-width mlx5_3/1 = 2",
            "port-lid mlx5_0/1 = 17",
        ]
    )


@given(text=st.sampled_from(TEXTS), keep=st.integers(0, 40), middle=st.integers(0, 200))
@settings(max_examples=60, deadline=None)
def test_cutting_never_raises_and_never_invents(text: str, keep: int, middle: int) -> None:
    lines = text.splitlines()[:keep]
    cut = "\n".join([*lines[:-1], lines[-1][:middle]]) if lines else ""
    whole, part = records(text), records(cut)
    (source,) = part.sources
    assert source.used + source.ignored + source.unread == source.lines
    known = {(r.attribute, r.part, r.value) for r in whole.readings}
    last = len(lines)
    assert {(r.attribute, r.part, r.value) for r in part.readings if r.ref.line < last} <= known


_WORDS = st.sampled_from([word for text in TEXTS for word in text.replace("\t", " ").split(" ") if word.strip()])


@given(st.lists(st.lists(_WORDS | st.text(max_size=8), max_size=8).map(" ".join), max_size=12).map("\n".join))
@settings(max_examples=80, deadline=None)
def test_any_words_give_a_result(text: str) -> None:
    (source,) = records(text).sources or (None,)
    assert source is None or source.used + source.ignored + source.unread == source.lines
