"""ucx_perftest."""

from __future__ import annotations

import pytest
from docstring_samples import sample_in
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.inputs import Input
from slowlink.model.benchmark import PerftestRun
from slowlink.model.source import Line
from slowlink.parsers.benchmarks import ucx_perftest
from slowlink.parsers.benchmarks.ucx_perftest import UcxPerftest
from slowlink.parsers.reading.read import read

SAMPLE = sample_in(ucx_perftest.__doc__ or "")
COMMAND, *TABLE = SAMPLE.splitlines()


def _runs(*lines: str) -> list[PerftestRun]:
    return list(read([Input("job.log", None, ["\n".join((*lines, "")).encode()])], workers=1).perftests)


def _told(*lines: str) -> list[tuple[str | None, str | None, str, list[tuple[int, float | None, float | None]]]]:
    return [
        (run.device, run.gpu_memory, run.kind, [(r.size_bytes, r.bw_average_gbit, r.t_typical_us) for r in run.rows])
        for run in _runs(*lines)
    ]


def test_a_test_between_two_nodes_is_one_of_the_port_that_it_names() -> None:
    assert _told(COMMAND, *TABLE) == snapshot([("mlx5_4", "cuda", "bandwidth", [(1048569, 374.305561, None)])])


def test_a_latency_is_one_in_microseconds() -> None:
    final = (
        "Final:                100000      1.604     1.631     1.631        4.68        4.68      613120      613120"
    )
    assert _told("[root@node01 ~]# ucx_perftest node02 -d mlx5_0:1 -t tag_lat -s 8 2>&1 | tee lat.txt", final) == [
        ("mlx5_0", "host", "latency", [(8, None, 1.604)])
    ]


@pytest.mark.parametrize(
    "command",
    [
        "$ ucx_perftest node02 -t tag_bw -m cuda",
        "$ UCX_NET_DEVICES=mlx5_0:1,mlx5_1:1 ucx_perftest node02 -t tag_bw",
        "$ UCX_NET_DEVICES=mlx5_0:1 ucx_perftest -t tag_bw -m cuda -n 1000 | tail -3",
        "$ UCX_NET_DEVICES=mlx5_0:1 ucx_perftest node02",
        "# the table of Monday",
    ],
)
def test_without_one_port_and_a_second_node_it_tells_nothing(command: str) -> None:
    assert _told(command, *TABLE) == []


@given(st.text(max_size=300))
def test_any_text_gives_a_result(text: str) -> None:
    parser = UcxPerftest()
    for number, line in enumerate((COMMAND + text, text, TABLE[-1] + text, TABLE[-1]), 1):
        parser.feed(Line("job.log", number, line))
    assert len(list(parser.finish())) <= 2
