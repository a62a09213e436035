"""One run of nccl-tests through the whole reader: every value of a table, its device list and its footer."""

from __future__ import annotations

from inline_snapshot import snapshot

from slowlink.inputs import Input
from slowlink.model.benchmark import CollectiveRun
from slowlink.model.records import Records
from slowlink.parsers.reading.read import read

OUTPUT = """\
$ mpirun -np 2 ./build/all_reduce_perf -b 1M -e 1G -f 1024
# nThread 1 nGpus 1 minBytes 1048576 maxBytes 1073741824 step: 1024(factor) warmup iters: 5 iters: 20 agg iters: 1
#
# Using devices
#  Rank  0 Group  0 Pid   4711 on      gpu01 device  0 [0x1b] NVIDIA H100 80GB HBM3
#  Rank  1 Group  0 Pid   4800 on      gpu02 device  0 [0x1b] NVIDIA H100 80GB HBM3
gpu01:4711:4711 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.7<0>
#
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
     1048576        262144     float     sum      -1    35.83   29.27   29.27      0    36.01   29.12   29.12      0
  1073741824     268435456     float     sum      -1   5995.2  179.10  179.10      0   6179.7  173.75  173.75    N/A
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 102.811
#
"""


def records(text: str) -> Records:
    return read([Input("run.log", None, [text.encode()])], workers=1)


def points(run: CollectiveRun) -> list[tuple[object, ...]]:
    return [(p.size_bytes, p.placement, p.time_us, p.algbw_gbs, p.busbw_gbs, p.wrong, p.doubt) for p in run.points]


def test_everything_that_a_run_prints() -> None:
    (run,) = records(OUTPUT).runs
    assert {
        "collective": (run.collective, run.tool, run.concluded),
        "parameters": run.parameters,
        "devices": [(d.rank, d.host, d.pid, d.device, d.bus_id, d.gpu) for d in run.devices],
        "columns": run.columns,
        "points": points(run),
        "footer": (run.out_of_bounds, run.average_busbw_gbs),
        "rows": (run.rows, run.torn_rows),
    } == snapshot(
        {
            "collective": ("all_reduce", "nccl-tests", True),
            "parameters": {
                "nThread": "1",
                "nGpus": "1",
                "minBytes": "1048576",
                "maxBytes": "1073741824",
                "step": "1024(factor)",
                "warmup iters": "5",
                "iters": "20",
                "agg iters": "1",
            },
            "devices": [
                (0, "gpu01", 4711, 0, "0x1b", "NVIDIA H100 80GB HBM3"),
                (1, "gpu02", 4800, 0, "0x1b", "NVIDIA H100 80GB HBM3"),
            ],
            "columns": (
                "size",
                "count",
                "type",
                "redop",
                "root",
                "time",
                "algbw",
                "busbw",
                "#wrong",
                "time",
                "algbw",
                "busbw",
                "#wrong",
            ),
            "points": [
                (1048576, "out_of_place", 35.83, 29.27, 29.27, 0.0, None),
                (1048576, "in_place", 36.01, 29.12, 29.12, 0.0, None),
                (1073741824, "out_of_place", 5995.2, 179.1, 179.1, 0.0, None),
                (1073741824, "in_place", 6179.7, 173.75, 173.75, None, None),
            ],
            "footer": (0, 102.811),
            "rows": (2, ()),
        }
    )


def test_no_line_stays_unread() -> None:
    (source,) = records(OUTPUT).sources
    assert {"commands", "nccl-tests", "nccl-log"} <= {*source.kinds}
    assert (source.lines, source.unread) == (16, 0)


def test_a_run_that_was_cut_keeps_its_whole_rows_and_is_not_concluded() -> None:
    (whole,) = records(OUTPUT).runs
    (run,) = records(OUTPUT[: OUTPUT.index("5995.2")]).runs
    assert points(run)[:2] == points(whole)[:2]
    assert [point.busbw_gbs for point in run.points[2:]] in ([], [None], [None, None])
    assert not run.concluded
