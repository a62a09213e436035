"""perftest whose header is cut off or replaced by a wrapper's words."""

from __future__ import annotations

from feeding import feed

from slowlink.model.benchmark import PerftestRun
from slowlink.parsers.benchmarks.perftest import PARSER

RULER = "-" * 80
WRAPPED = f"""\
Starting RDMA client 'ib_read_lat' for mlx5_3 (Port 12345)...
{RULER}
 #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]
 2       1000          2.00           9.00         2.50               2.60           0.10
{RULER}
"""
ADDRESSES = " local address: LID 0000 QPN 0x03ec PSN 0x00beef\n"
TABLE = f"""\
 #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]
 65536      5000             99.00              98.00              0.18
{RULER}
"""


def runs(text: str) -> list[PerftestRun]:
    return [record for record in feed(PARSER, text.splitlines()) if isinstance(record, PerftestRun)]


def test_the_words_of_a_wrapper_name_test_and_device() -> None:
    [run] = runs(WRAPPED)
    assert (run.test, run.kind, run.device) == ("RDMA_Read Latency", "latency", "mlx5_3")
    assert len(run.rows) == 1
    assert "sides" not in run.parameters


def test_the_title_of_the_tool_below_the_wrapper_is_the_same_side() -> None:
    text = WRAPPED.replace("Starting", f"{TABLE}Starting", 1).replace(
        f"...\n{RULER}", f"...\n{RULER}\n                    RDMA_Read Latency Test\n", 1
    )
    first, second = runs(text)
    assert (first.test, second.test, second.device) == ("", "RDMA_Read Latency", "mlx5_3")
    assert "sides" not in second.parameters


def test_queue_pairs_are_counted_where_the_header_is_cut() -> None:
    first, second = runs(ADDRESSES * 3 + TABLE + ADDRESSES.replace("local", "remote") + TABLE)
    assert (first.qps, second.qps) == (3, None)


def test_the_header_is_believed_before_the_count() -> None:
    header = (
        " Number of qps   : 2            Transport type : IB\n Connection type : RC           Using SRQ      : OFF\n"
    )
    [run] = runs(header + ADDRESSES * 3 + TABLE)
    assert run.qps == 2


TABLE = (
    " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n"
    " 65536      5000             196.41             196.38               0.374565\n"
)
LATENCY = (
    " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec]\n"
    " 8       20000          1.02           6.11         1.06               1.08          0.06           1.31           2.90\n"
)


def test_a_command_says_what_the_cut_header_would_have_said() -> None:
    def named(text: str) -> list[tuple[str, str | None]]:
        return [(run.test, run.device) for run in feed(PARSER, text.splitlines())]

    command = "$ ib_write_bw -d mlx5_2 -F --report_gbits gpu02 | tail -3\n"
    assert named(command + TABLE) == [("RDMA_Write BW", "mlx5_2")]
    assert named("[a] $ ib_read_lat -d mlx5_0 -F -s 8 q-204\n" + LATENCY) == [("RDMA_Read Latency", "mlx5_0")]
    assert named(command + LATENCY) == [("", None)], "a table of another kind"
    assert named(command + "\n" * 60 + TABLE) == [("", None)], "too far away"
    assert named("$ ib_write_bw -F gpu02 | tail -3\n" + TABLE) == [("", None)], "it names no device"
