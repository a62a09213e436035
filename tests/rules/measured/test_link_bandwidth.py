from __future__ import annotations

from inline_snapshot import snapshot
from job_findings import check, findings, skipped

from slowlink.inputs import Input
from slowlink.parsers.reading.read import read
from slowlink.workflows.analyze import report_of

WRITE = """\
---------------------------------------------------------------------------------------
                    RDMA_Write BW Test
 Dual-port       : OFF          Device         : mlx5_3
 Number of qps   : 4            Transport type : IB
 Connection type : RC           Using SRQ      : OFF
 Mtu             : 4096[B]
 Link type       : IB
---------------------------------------------------------------------------------------
 #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]
 {size}    5000             {rate}             {rate}               {messages}
---------------------------------------------------------------------------------------
"""
LATENCY = """\
---------------------------------------------------------------------------------------
                    RDMA_Read Latency Test
 Dual-port       : OFF          Device         : mlx5_3
 Link type       : IB
---------------------------------------------------------------------------------------
 #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec]
 2       1000          {low}           9.90         {usual}               {usual}              0.10            {usual}                    9.90
---------------------------------------------------------------------------------------
"""


def write(rate_gbit: float, size: int = 1 << 20) -> str:
    return WRITE.format(size=size, rate=f"{rate_gbit:.2f}", messages=f"{rate_gbit * 1e3 / 8 / size:.6f}")


def proofs(text: str) -> list[str]:
    said = check("link-bandwidth", text)
    assert said.findings == ()
    return [proof.message for proof in said.proofs]


def test_a_port_at_line_rate() -> None:
    assert proofs(write(391.5)) == snapshot(["mlx5_3: 391.5 Gb/s, 98% of 400 Gb/s"])


def test_a_rate_that_nobody_told_leaves_it_open() -> None:
    """The port may run at 200 Gb/s, or a 400 Gb/s port may be ill; the output does not say."""
    assert [found.message for found in check("link-bandwidth", write(196.2)).findings] == snapshot(
        [
            "mlx5_3: 196.2 Gb/s is 49% of what a port of 400 Gb/s carries, 99% of one of 200; to settle it, say which it is (--nics)"
        ]
    )
    assert [found.message for found in check("link-bandwidth", write(230.0)).findings] == snapshot(
        ["mlx5_3: 230.0 Gb/s is 58% of what a port of 400 Gb/s carries; to settle it, say which it is (--nics)"]
    )


def test_the_rate_that_was_given_binds() -> None:
    assert [proof.message for proof in check("link-bandwidth", write(196.2), nics="8x200").proofs] == snapshot(
        ["mlx5_3: 196.2 Gb/s, 98% of 200 Gb/s"]
    )
    assert findings("link-bandwidth", write(196.2), nics="8x400") == snapshot(
        [
            {
                "cause": "link-bandwidth-low",
                "message": "mlx5_3 carries 196.2 Gb/s, 49% of 400 Gb/s",
                "how": "error, likely",
                "suspects": ["hca mlx5_3"],
                "evidence": [
                    (
                        10,
                        "196.20 Gb/s at 1 MiB / at least 360 Gb/s: the NICs given; port rate 400 Gb/s, one way, x 0.981; 392.0 to 392.6 Gb/s typical at 400G; gates at 90 to 96 % (azurehpc-health-checks, oci-hpc, ngc_multinode_perf); ib_write_lat gate 5 us (oci-hpc)",
                    )
                ],
                "explains": ["busbw-below-expected"],
            }
        ]
    )


def test_the_rate_that_ibstat_printed_binds() -> None:
    port = "CA 'mlx5_3'\n\tCA type: MT4129\n\tNumber of ports: 1\n\tPort 1:\n\t\tState: Active\n"
    port += "\t\tPhysical state: LinkUp\n\t\tRate: 200\n\t\tLink layer: InfiniBand\n"
    assert [proof.message for proof in check("link-bandwidth", port + write(196.2)).proofs] == snapshot(
        ["mlx5_3: 196.2 Gb/s, 98% of 200 Gb/s"]
    )


def test_an_adapter_that_a_tool_named_has_no_faster_port() -> None:
    """Slower than its fastest it may be, so less than that decides nothing still."""
    adapter = (
        "0000:a1:00.0 {} (MT4123 - MCX653106A) ConnectX-6 VPI adapter card fw 20.39.1002 port 1 (ACTIVE) ==> ib2 (Up)\n"
    )
    assert proofs(adapter.format("mlx5_3") + write(196.2)) == snapshot(["mlx5_3: 196.2 Gb/s, 98% of 200 Gb/s"])
    assert [
        found.message for found in check("link-bandwidth", adapter.format("mlx5_3") + write(97.0)).findings
    ] == snapshot(
        [
            "mlx5_3: 97.0 Gb/s is 49% of what a port of 200 Gb/s carries, 98% of one of 100; to settle it, say which it is (--nics)"
        ]
    )
    assert check("link-bandwidth", adapter.format("mlx5_0") + write(196.2)).findings, "another adapter"


def test_a_small_mtu_leaves_less_to_what_is_carried() -> None:
    """1024 bytes in packets of 1106: 92.6 of 100 Gb/s. What carries more is no port of 100 Gb/s."""
    small = {
        rate: write(rate).replace("4096[B]", "1024[B]").replace(": IB\n---", ": Ethernet\n---") for rate in (92.5, 97.3)
    }
    assert [proof.message for proof in check("link-bandwidth", small[92.5], nics="1x100").proofs] == snapshot(
        ["mlx5_3: 92.5 Gb/s, 92% of 100 Gb/s, of which an MTU of 1024 leaves 92.6"]
    )
    assert [found.message for found in check("link-bandwidth", small[97.3], nics="1x100").findings] == snapshot(
        [
            "mlx5_3: 97.3 Gb/s is more than 100 Gb/s carry with an MTU of 1024: the port is another one; to settle it, say which it is (--nics)"
        ]
    )
    assert [found.message for found in check("link-bandwidth", small[97.3]).findings] == snapshot(
        [
            "mlx5_3: 97.3 Gb/s is 26% of what a port of 400 Gb/s carries, 53% of one of 200 with an MTU of 1024; to settle it, say which it is (--nics)"
        ]
    )


def test_small_messages_do_not_fill_a_link() -> None:
    assert proofs(write(391.5, size=4096)) == []


def test_latency() -> None:
    assert proofs(LATENCY.format(low="1.80", usual="2.00")) == snapshot(["RDMA_Read Latency: 2.00 us at 2 bytes"])
    assert proofs(LATENCY.format(low="31.00", usual="48.00")) == []


def test_a_latency_without_its_head_is_no_health() -> None:
    """What is quick for one path is slow for another; the rows alone name none. None is quicker than InfiniBand."""
    for usual, said, verdict in (
        ("3.90", "latency: 3.90 us at 2 bytes of a path that is not named", "inconclusive"),
        ("1.90", "latency: 1.90 us at 2 bytes", "healthy"),
    ):
        rows = " #bytes" + LATENCY.partition(" #bytes")[2].format(low="1.80", usual=usual)
        assert proofs(rows) == [said]
        assert report_of(read([Input("log.txt", None, [rows.encode()])])).verdict == verdict


def test_a_setting_that_costs_time_is_why_a_path_is_no_quicker() -> None:
    """Up to 5 us is no fault, but not quick, either: of InfiniBand 2 are usual."""
    for usual, verdict in (("4.10", "healthy"), ("9.10", "degraded")):  # a read is a request and an answer
        lines = LATENCY.format(low="1.80", usual=usual)
        governors = "$ cat /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor | sort | uniq -c\n    128 powersave\n"
        assert report_of(read([Input("log.txt", None, [lines.encode()])])).verdict == "healthy"
        assert report_of(read([Input("log.txt", None, [(governors + lines).encode()])])).verdict == verdict


def test_without_perftest() -> None:
    assert skipped("link-bandwidth", "nothing here\n") == snapshot(
        "no output of ib_write_bw, ib_read_lat or another perftest program"
    )


def test_the_first_size_at_line_rate_need_not_fill_the_link() -> None:
    rows = "".join(
        f" {size}    5000     392.10     392.00     {392e3 / 8 / size:.6f}\n" for size in (1 << 13, 1 << 16, 1 << 20)
    )
    head, _, _ = WRITE.partition(" {size}")
    assert proofs(head + rows + "-" * 87 + "\n") == ["mlx5_3: 392.0 Gb/s, 98% of 400 Gb/s"]


def test_more_than_the_rate_given_proves_another_port() -> None:
    said = check("link-bandwidth", write(189.9), nics="8x100")
    assert said.proofs == ()
    assert [found.message for found in said.findings] == snapshot(
        [
            "mlx5_3: 189.9 Gb/s is more than 100 Gb/s carry: the port is another one; to settle it, say which it is (--nics)"
        ]
    )
    assert check("link-bandwidth", write(100.2), nics="8x100").findings == ()


def test_a_port_that_says_more_than_was_given_has_that() -> None:
    port = "CA 'mlx5_3'\n\tCA type: MT4129\n\tNumber of ports: 1\n\tPort 1:\n\t\tState: Active\n\t\tPhysical state: LinkUp\n\t\tRate: 400\n"
    said = check("link-bandwidth", write(189.9) + port, nics="8x100")
    assert [found.message for found in said.findings] == snapshot(["mlx5_3 carries 189.9 Gb/s, 47% of 400 Gb/s"])


def loopback(text: str) -> str:
    ends = "".join(f" {side} address: LID 0x21 QPN 0x01{side[0]} PSN 0x1\n" for side in ("local", "remote"))
    return text.replace(" #bytes", ends.replace("0x01l", "0x011").replace("0x01r", "0x012") + " #bytes")


def test_a_port_that_was_tested_with_itself_proves_nothing_of_the_fabric() -> None:
    for text in (write(391.5), write(196.2), LATENCY.format(low=1.2, usual=1.3)):
        said = check("link-bandwidth", loopback(text), nics="8x400")
        assert said.findings == ()
        assert [(proof.weight, proof.undecided) for proof in said.proofs] == [(0, True)]
        assert "in a loopback on one port" in said.proofs[0].message
        assert said.proofs[0].message.endswith(", so the fabric was not measured")


def test_a_loopback_alone_makes_nobody_healthy() -> None:
    report = report_of(read([Input("job.log", None, [loopback(write(391.5)).encode()])], workers=1))
    assert (report.verdict, report.headline) == (
        "inconclusive",
        "inconclusive: mlx5_3: 391.5 Gb/s in a loopback on one port, enough for a port of 400 Gb/s and 49% of one of 800, so the fabric was not measured",
    )


def test_a_loopback_is_told_once_for_both_ends_and_beside_the_ports_that_carry_it() -> None:
    said = check("link-bandwidth", loopback(write(20.3)) + loopback(write(20.3)))
    assert [proof.message for proof in said.proofs] == snapshot(
        [
            "mlx5_3: 20.3 Gb/s in a loopback on one port, enough for a port of 10 Gb/s and 81% of one of 25, so the fabric was not measured"
        ]
    )


def test_more_than_the_port_itself_says_that_it_carries_is_above_its_bound() -> None:
    port = "Infiniband device 'mlx5_3' port 1 status:\n\tstate:\t\t 4: ACTIVE\n\trate:\t\t 100 Gb/sec (4X EDR)\n"
    (found,) = check("link-bandwidth", port + write(189.9)).findings
    assert (found.cause, found.severity, found.confidence, found.message) == snapshot(
        (
            "above-physical-bound",
            "warning",
            "likely",
            "mlx5_3: 189.9 Gb/s is more than 100 Gb/s carry: the test used another port, or the number is not from it",
        )
    )
    assert [each.cause for each in check("link-bandwidth", port + write(97.9)).findings] == []
