from __future__ import annotations

from inline_snapshot import snapshot
from job_findings import check, findings, skipped

LATENCY = """\
---------------------------------------------------------------------------------------
                    RDMA_Write Latency Test
 Dual-port       : OFF          Device         : {device}
 Link type       : {link}
---------------------------------------------------------------------------------------
 #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec]
 2       1000          {usual}           99.90         {usual}               {usual}              0.10            {usual}                    99.90
---------------------------------------------------------------------------------------
"""
TABLE = """\
# nThread 1 nGpus 1 minBytes 8 maxBytes 8589934592 step: 1073741824(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0
#
# Using devices
#  Rank  0 Group  0 Pid  10 on   node1 device  0 [0x1b] NVIDIA H100 80GB HBM3
#  Rank  1 Group  0 Pid  10 on   node2 device  0 [0x1b] NVIDIA H100 80GB HBM3
#
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
           8             2     float     sum      -1   {time}    0.00    0.00      0   {time}    0.00    0.00      0
  8589934592    2147483648     float     sum      -1   179500   47.86   47.86      0   179400   47.88   47.88      0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 0.001
#
# Collective test concluded: all_reduce_perf
"""


def perftest(usual: float, device: str = "mlx5_0", link: str = "IB") -> str:
    return LATENCY.format(usual=f"{usual:.2f}", device=device, link=link)


def messages(text: str, system: str | None = None) -> list[str]:
    return [found.message for found in check("latency-high", text, system=system).findings]


def test_an_infiniband_port_that_is_far_too_slow() -> None:
    assert findings("latency-high", perftest(31.0)) == snapshot(
        [
            {
                "cause": "latency-high",
                "message": "RDMA_Write Latency of mlx5_0: 31.0 us at 2 B, where healthy paths take at most 5",
                "how": "error, likely",
                "suspects": ["hca mlx5_0"],
                "evidence": [
                    (
                        7,
                        "at most 5 us: 392.0 to 392.6 Gb/s typical at 400G; gates at 90 to 96 % (azurehpc-health-checks, oci-hpc, ngc_multinode_perf); ib_write_lat gate 5 us (oci-hpc)",
                    )
                ],
                "explains": [],
            }
        ]
    )


def test_a_little_slow_is_not_called_high() -> None:
    assert messages(perftest(9.5)) == []
    assert messages(perftest(14.9, link="Ethernet")) == []


def test_other_adapters_have_latencies_of_their_own() -> None:
    assert messages(perftest(22.0, device="rdmap16s27", link="Unknown")) == []


def test_the_smallest_sizes_of_nccl_tests() -> None:
    assert messages(TABLE.format(time=" 41.20"), system="azure_nd_h100_v5") == []
    assert messages(TABLE.format(time="120.00"), system="azure_nd_h100_v5") == []
    assert messages(TABLE.format(time="910.00"), system="azure_nd_h100_v5") == snapshot(
        ["all_reduce with 2 ranks on 2 nodes takes 910 us at 8 B, where 40 are usual, known to a factor of three"]
    )


def test_a_network_that_nobody_names_is_at_most_as_slow_as_the_slowest() -> None:
    assert messages(TABLE.format(time="510.00")) == []
    assert messages(TABLE.format(time="910.00")) == snapshot(
        ["all_reduce with 2 ranks on 2 nodes takes 910 us at 8 B, where 86 are usual, known to a factor of three"]
    )


def test_calls_that_wait_for_something_else_than_their_data() -> None:
    """1 MiB takes hardly longer than 8 B, on a network that carries 47 GB/s."""

    def table(small: float, large: float) -> str:
        side = f"   {large:.2f}   {(1 << 20) / large / 1e3:.2f}   {(1 << 20) / large / 1e3:.2f}      0"
        head, last = TABLE.format(time=f"{small:.2f}").split("  8589934592")
        return f"{head}     1048576        262144     float     sum      -1{side}{side}\n  8589934592{last}"

    assert findings("latency-high", table(410, 560)) == snapshot(
        [
            {
                "cause": "latency-high",
                "message": "all_reduce with 2 ranks on 2 nodes takes 410 us at 8 B, where 86 are usual, known to a factor of three; 1 MiB takes hardly longer: each call waits for something else than its data",
                "how": "error, likely",
                "suspects": [],
                "evidence": [
                    (
                        10,
                        "at most 258 us: the slowest network with figures: A3 Mega all-gather on 2 nodes; 2 nodes; known to a factor of three",
                    )
                ],
                "explains": [],
            }
        ]
    )
    assert messages(table(410, 960)) == []
    assert messages(table(41, 60)) == []


def test_small_sizes_alone_may_be_of_tcp() -> None:
    small = "\n".join(line for line in TABLE.splitlines() if not line.startswith("  8589934592"))
    assert messages(small.format(time="910.00")) == []
    assert messages(small.format(time="1710.00").replace("all_reduce_perf", "some_perf")) == snapshot(
        ["a collective with 2 ranks on 2 nodes takes 1710 us at 8 B, where 86 are usual, known to a factor of three"]
    )
    one_node = small.replace("node2", "node1").replace("device  0 [0x1b] NVIDIA", "device  1 [0x2b] NVIDIA", 1)
    assert messages(one_node.format(time="1710.00")) == []


def test_without_a_measurement() -> None:
    assert skipped("latency-high", "nothing here\n") == snapshot(
        "no output of ib_write_bw, ib_read_lat or another perftest program"
    )


def test_one_message_in_a_hundred_takes_far_longer() -> None:
    late = perftest(1.5).replace("0.10            1.50", "0.10            412.50")
    assert messages(late) == snapshot(
        ["RDMA_Write Latency of mlx5_0: one message in a hundred of 2 B takes 412 us, most 1.5"]
    )
    assert messages(late.replace("412.50", " 22.50")) == []
    assert check("link-bandwidth", late).proofs == ()
