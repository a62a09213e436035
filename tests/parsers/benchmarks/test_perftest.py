"""perftest: units, header, both sides in one stream, errors, JSON, and anything at all."""

from __future__ import annotations

import re
from typing import Any

import pytest
from feeding import feed
from hypothesis import given, settings
from hypothesis import strategies as st

from slowlink.model.benchmark import PerftestRun
from slowlink.model.source import Line
from slowlink.parsers.benchmarks.perftest import DOCUMENT, PARSER
from slowlink.parsers.forms.interface import Use

RULER = "-" * 87
HEADER = """\
                    RDMA_Write BW Test
 Dual-port       : OFF\t\tDevice         : mlx5_7
 Number of qps   : 4\t\tTransport type : IB
 Connection type : RC\t\tUsing SRQ      : OFF
 PCIe relax order: ON\t\tLock-free      : OFF
 ibv_wr* API     : ON\t\tUsing Enhanced Reorder      : OFF
 TX depth        : 128
 CQ Moderation   : 1
 Mtu             : 4096[B]
 Link type       : Ethernet
 GID index       : 3
 Max inline data : 0[B]
 rdma_cm QPs\t : OFF
 Data ex. method : rdma_cm \tTOS    : 41"""
ADDRESSES = """\
 local address: LID 0000 QPN 0x0093 PSN 0xbf9bfe RKey 0x1fff00 VAddr 0x007f66a9bff000
 GID: 00:00:00:00:00:00:00:00:00:00:255:255:10:198:03:41
 remote address: LID 0000 QPN 0x0093 PSN 0x62655e RKey 0x1fff00 VAddr 0x007f66a9bff000
 GID: 00:00:00:00:00:00:00:00:00:00:255:255:10:198:03:42"""
BW = " #bytes     #iterations    BW peak[{0}]    BW average[{0}]   MsgRate[Mpps]"
LATENCY = (
    " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]"
    "   99% percentile[usec]   99.9% percentile[usec] "
)


def block(*rows: str, unit: str = "Gb/sec", header: str = HEADER) -> list[str]:
    return [RULER, *header.splitlines(), RULER, *ADDRESSES.splitlines(), RULER, BW.format(unit), *rows, RULER]


def one(lines: list[str]) -> PerftestRun:
    (run,) = feed(PARSER, lines)
    assert isinstance(run, PerftestRun)
    return run


def test_header_and_row() -> None:
    run = one(block(" 65536      20000            98.03              98.01              0.186932"))
    assert (run.test, run.kind, run.printed_unit, run.device) == ("RDMA_Write BW", "bandwidth", "Gb/s", "mlx5_7")
    assert (run.link_type, run.mtu_bytes, run.gid_index, run.qps) == ("Ethernet", 4096, 3, 4)
    assert run.parameters["TOS"] == "41"
    assert run.parameters["Using Enhanced Reorder"] == "OFF"
    assert run.parameters["rdma_cm QPs"] == "OFF"
    assert (run.gpu_memory, run.complete, run.errors) == (None, True, ())
    (row,) = run.rows
    assert (row.size_bytes, row.iterations, row.bw_peak_gbit, row.bw_average_gbit) == (65536, 20000, 98.03, 98.01)
    assert row.doubt is None


def test_copied_header_with_blanks_for_tabs() -> None:
    header = HEADER.expandtabs(8).replace("rdma_cm QPs      ", "rdma_cm QPs     ")
    run = one(block(" 65536      20000            98.03              98.01              0.186932", header=header))
    assert (run.device, run.qps, run.parameters["Using SRQ"]) == ("mlx5_7", 4, "OFF")


@pytest.mark.parametrize("label", ["MB/sec", "MiB/sec"])
def test_megabytes_are_two_to_the_twenty_whatever_the_label_says(label: str) -> None:
    run = one(block(" 8388608    1000             23240.68           23240.68             0.002905", unit=label))
    assert run.printed_unit == "MiB/s"
    assert run.rows[0].bw_average_gbit == pytest.approx(194.957, abs=0.001)
    assert run.rows[0].doubt is None


def test_megabytes_labelled_as_gigabits_are_doubted() -> None:
    run = one(block(" 8388608    1000             23240.68           23240.68             0.002905", unit="Gb/sec"))
    assert run.rows[0].doubt is not None


def test_peak_that_was_not_measured_is_none() -> None:
    run = one(block(" 65536      882805           0.00               92.57                0.176554"))
    assert run.rows[0].bw_peak_gbit is None
    assert run.rows[0].bw_average_gbit == 92.57


def test_both_sides_in_one_stream_are_one_run() -> None:
    row = " 65536      2000             98.03              98.01              0.186932"
    title = HEADER.splitlines()
    lines = [RULER, *title[:4], RULER, *title, RULER, *title[4:], RULER, BW.format("Gb/sec"), BW.format("Gb/sec")]
    run = one([*lines, row, RULER, row, RULER])
    assert len(run.rows) == 1
    assert run.parameters["sides"] == "2"


def test_two_runs_stay_apart() -> None:
    rows = (" 65536      5000             92.42              92.40              0.176230",)
    assert [len(run.rows) for run in feed(PARSER, block(*rows) + block(*rows))] == [1, 1]


def test_fragment_without_title_and_without_end() -> None:
    (run,) = feed(
        PARSER, [BW.format("Gb/sec"), " 4096       5000             89.63              89.61              2.734552"]
    )
    assert (run.test, run.device, run.complete) == ("", None, False)
    assert run.rows[0].bw_average_gbit == 89.61


def test_latency_table() -> None:
    row = " 2       1000          5.35           11.78        5.49       5.50     0.18      5.74    11.79"
    (run,) = feed(PARSER, ["    RDMA_Read Latency Test", RULER, LATENCY, row, RULER])
    (read,) = run.rows
    assert (run.test, run.kind, run.printed_unit) == ("RDMA_Read Latency", "latency", "usec")
    assert (read.t_min_us, read.t_max_us, read.t_typical_us, read.t_avg_us) == (5.35, 11.78, 5.49, 5.5)
    assert (read.t_stdev_us, read.t_p99_us, read.t_p999_us) == (0.18, 5.74, 11.79)


def test_short_latency_table_by_its_header() -> None:
    (run,) = feed(
        PARSER, [" #bytes        #iterations       t_avg[usec]    t_stdev[usec]", " 2    1000    0.85    0.05", RULER]
    )
    assert (run.rows[0].t_avg_us, run.rows[0].t_stdev_us, run.rows[0].t_min_us) == (0.85, 0.05, None)


def test_remark_between_header_and_row() -> None:
    row = " 65536      5000             92.42              92.40              0.176230"
    remark = "Conflicting CPU frequency values detected: 1200.5 != 1251.3. CPU Frequency is not max."
    run = one(block(remark, row))
    assert len(run.rows) == 1
    assert run.errors == ()


@pytest.mark.parametrize(
    "lines, memory, gpu",
    [
        (["initializing CUDA", "Picking device No. 3", "cuMemAlloc() of a 131072 bytes GPU buffer"], "cuda", 3),
        (["Using maca Device with ID: 4, Name: MetaX C500, PCI Bus ID: 0x32"], "maca", 4),
        (["using ROCm device with ID: 2, Name: x"], "rocm", 2),
    ],
)
def test_gpu_memory_from_the_lines_before(lines: list[str], memory: str, gpu: int) -> None:
    run = one([*lines, *block(" 65536      5000             92.42              92.40              0.176230")])
    assert (run.gpu_memory, run.gpu) == (memory, gpu)


@pytest.mark.parametrize(
    "kind, state, memory", [("MACA", "ON", "maca"), ("ROCm", "ON", "rocm"), ("ROCm", "OFF", "host")]
)
def test_gpu_memory_from_the_header(kind: str, state: str, memory: str) -> None:
    header = f"{HEADER}\n Use {kind} memory : {state}"
    run = one(block(" 65536      5000             92.42              92.40              0.176230", header=header))
    assert run.gpu_memory == memory


def test_gpu_line_after_a_run_belongs_to_no_other_run() -> None:
    rows = (" 65536      5000             92.42              92.40              0.176230",)
    lines = ["Using maca Device with ID: 0, Name: X", *block(*rows), "deallocating GPU buffer 0x7f", *block(*rows)]
    assert [run.gpu_memory for run in feed(PARSER, lines)] == ["maca", None]


def test_per_port_and_cpu_columns() -> None:
    ports = " ".join(f"BW Port{n}[Gb/sec] MsgRate Port{n}[Mpps]" for n in (1, 2))
    header = f" #bytes #iterations BW peak[Gb/sec] BW average[Gb/sec] MsgRate[Mpps] {ports} CPU_Util[%]"
    (run,) = feed(PARSER, [header, " 65536 5000 184.84 184.80 0.352460 92.4 0.1762 92.4 0.1762 7.5", RULER])
    assert run.rows[0].ports_gbit == (92.4, 92.4)
    assert run.rows[0].cpu_util_percent == 7.5


@pytest.mark.parametrize(
    "text",
    [
        "Couldn't connect to 10.0.0.9:18515",
        " Unable to find the Infiniband/RoCE device",
        "IB device mlx5_9 not found",
        " Port number 1 state is Down",
        "Failed to modify QP 291 to RTR",
        "Couldn't allocate MR",
        " Completion with error at client",
        " Failed status 12: wr_id 0 syndrom 0x81",
        " Failed status-transport retry counter exceeded (12): wr_id 0 syndrom 0x81",
    ],
)
def test_errors(text: str) -> None:
    (run,) = feed(PARSER, [*HEADER.splitlines(), RULER, text])
    assert [ref.text for ref in run.errors] == [text]
    assert run.complete is False


def test_an_error_searched_for_is_no_error() -> None:
    assert feed(PARSER, ['grep "Couldn\'t connect to " log', "$ grep 'Failed status' x"]) == []


def test_numbers_outside_a_table_that_contradict_each_other_are_nobodys() -> None:
    parser = PARSER()
    assert parser.feed(Line("t", 1, " 65536 5000 92.42 92.40 0.186230")) is Use.NOT_MINE
    assert list(parser.finish()) == []


def test_json_unit_is_derived_from_the_message_rate() -> None:
    info = {"test": "RDMA_Write BW Test", "Device": "mlx5_0", "Mtu": "4096[B]", "Link_type": "IB", "Number_of_qps": 1}
    rate = {"MsgSize": 8388608, "n_iterations": 1000, "BW_peak": 0.0, "MsgRate": 0.002905}
    for average, printed in ((194.95, "Gb/s"), (23240.68, "MiB/s")):
        document = {"test_info": info, "results": {**rate, "BW_average": average}}
        assert DOCUMENT.wants_document(document)
        (run,) = DOCUMENT().read(document, "x.json", 1)
        assert run.rows[0].bw_average_gbit == pytest.approx(194.96, abs=0.02)
        assert run.parameters["unit_basis"].startswith(printed)
        assert (run.printed_unit, run.device, run.mtu_bytes, run.qps) == ("", "mlx5_0", 4096, 1)


def test_json_without_message_rate_gives_no_bandwidth() -> None:
    document = {"test_info": {"test": "RDMA_Write BW Test"}, "results": {"MsgSize": 65536, "BW_average": 98.0}}
    (run,) = DOCUMENT().read(document, "x.json", 1)
    assert run.rows[0].bw_average_gbit is None
    assert "unknown" in run.parameters["unit_basis"]


@given(
    rows=st.lists(
        st.tuples(
            st.integers(min_value=1, max_value=23), st.integers(100, 100000), st.floats(0.2, 400, allow_nan=False)
        ),
        min_size=1,
        max_size=24,
    ),
    gbits=st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_rendered_rows_are_read_back(rows: list[tuple[int, int, float]], gbits: bool) -> None:
    unit, factor = ("Gb/sec", 1.0) if gbits else ("MiB/sec", 1e9 / 8 / 1048576)
    lines = []
    for power, iterations, rate in rows:
        size = 2**power
        mpps = rate * 125 / size
        bandwidth = f"{rate * factor:<7.2f}"
        lines.append(f" {size:<7d}    {iterations:<10d}       {bandwidth}            {bandwidth}\t\t   {mpps:<7.6f}")
    run = one(block(*lines, unit=unit))
    assert [(row.size_bytes, row.iterations) for row in run.rows] == [(2**power, count) for power, count, _ in rows]
    for row, (_, _, rate) in zip(run.rows, rows, strict=True):
        assert row.bw_average_gbit == pytest.approx(rate, abs=0.006)
        assert row.doubt is None


LINES = st.sampled_from(
    [*block(" 65536      5000   92.42    92.40    0.176230"), LATENCY, " 2 1000 5.35", "initializing CUDA"]
)


@given(
    texts=st.lists(
        st.one_of(st.text(max_size=60), LINES, LINES.flatmap(lambda t: st.integers(0, len(t)).map(lambda n: t[:n])))
    )
)
@settings(max_examples=60, deadline=None)
def test_no_text_raises(texts: list[str]) -> None:
    parser = PARSER()
    for number, text in enumerate(texts, 1):
        assert PARSER.wants(text) == PARSER.wants(re.sub(r"\d", "0", text))
        parser.feed(Line("t", number, text))
    for run in parser.finish():
        assert all(row.size_bytes > 0 for row in run.rows)


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["test_info", "results", "MsgSize", "BW_average", "MsgRate", "Mtu", "test"]), inner
        )
    ),
    max_leaves=12,
)


@given(value=JSON, results=JSON)
@settings(max_examples=60, deadline=None)
def test_no_document_raises(value: Any, results: Any) -> None:
    list(DOCUMENT().read(value, "x", 1))
    list(DOCUMENT().read({"test_info": value, "results": results}, "x", 1))
