from __future__ import annotations

from pathlib import Path

import pytest
from inline_snapshot import snapshot
from text_findings import said

from slowlink import analyze

RULE = "pairs-below-link"


def matrix(caption: str, amount: float) -> str:
    cells = [[f"{amount + (a + b) / 10:.1f}" if a != b else "-" for b in range(4)] for a in range(4)]
    rows = "".join(f"n{a + 1}  {'  '.join(cells[a])}\n" for a in range(4))
    return f"{caption}\n\n      n1  n2  n3  n4\n{rows}"


WRITE = "ib_write_bw between all nodes, one NDR port each, Gb/s"


def test_pairs_that_agree_may_all_be_slow() -> None:
    assert said(RULE, matrix(WRITE, 196.0)) == snapshot(
        [
            (
                "link-bandwidth-low",
                "error",
                "possible",
                "12 results of ib_write_bw: 196.3 Gb/s in the middle, 49% of 400 Gb/s: all pairs are slow",
            )
        ]
    )
    assert said(RULE, matrix(WRITE, 394.0)) == []


def test_bytes_are_no_bits() -> None:
    text = "sendrecv_perf pairs of H100 nodes with 8x NDR400, busbw GB/s\n\npair            busbw\n"
    rows = "".join(f"hx{a} hx{b}    24.{a}\n" for a in range(1, 5) for b in range(a + 1, 5))
    assert [found[:2] for found in said(RULE, text + rows)] == [("link-bandwidth-low", "error")]
    assert said(RULE, text + rows.replace("   24.", "   48.")) == []


@pytest.mark.parametrize(
    "caption",
    [
        "ib_write_bw between all nodes, Gb/s",
        "all_reduce between all nodes, one NDR port each, Gb/s",
        "ib_write_bw between all nodes, NDR or HDR ports, Gb/s",
    ],
)
def test_without_the_test_or_one_rate_nothing_is_said(caption: str) -> None:
    assert said(RULE, matrix(caption, 196.0)) == []


def test_a_title_tells_the_rate_of_a_port_that_perftest_measured(tmp_path: Path) -> None:
    text = (
        "gpu11 <-> gpu12, NDR (400 Gb/s)\n\n"
        f"{'-' * 87}\n #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n"
        " 65536      5000             98.42              98.31               0.187511\n"
        f"{'-' * 87}\n"
    )
    slow, sound = tmp_path / "slow.txt", tmp_path / "sound.txt"
    slow.write_text(text)
    sound.write_text(text.replace("98.42 ", "395.42").replace("98.31 ", "395.31"))
    assert [found.cause for found in analyze(slow).diagnoses] == ["link-bandwidth-low"]
    assert analyze(sound).verdict == "healthy"
