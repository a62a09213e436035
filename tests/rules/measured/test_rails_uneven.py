from __future__ import annotations

from inline_snapshot import snapshot
from job_findings import check, findings
from whole_inputs import checked

TEST = """\
[root@{host} ~]# ib_write_bw -d {device} -s 1048576 -D 10 --report_gbits kv-n08
---------------------------------------------------------------------------------------
                    RDMA_Write BW Test
 Dual-port       : OFF          Device         : {device}
 Number of qps   : {qps}            Transport type : IB
 Connection type : RC           Using SRQ      : OFF
 Link type       : IB
---------------------------------------------------------------------------------------
 #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]
 1048576    234000           0.00               {rate:.2f}             {messages:.6f}
---------------------------------------------------------------------------------------
"""
IBSTAT = """\
[root@{host} ~]# ibstat {device}
CA '{device}'
\tCA type: {model}
\tNumber of ports: 1
\tFirmware version: 28.39.1002
\tPort 1:
\t\tState: Active
\t\tPhysical state: LinkUp
\t\tRate: {rate}
\t\tBase lid: 33
\t\tLink layer: InfiniBand
"""


def rails(*rates: float, host: str = "kv-n07", qps: int = 1) -> str:
    return "".join(
        TEST.format(host=host, device=f"mlx5_{rail}", rate=rate, messages=rate * 1e3 / 8 / (1 << 20), qps=qps)
        for rail, rate in enumerate(rates)
    )


def port(device: str, rate: int, model: str = "MT4129", host: str = "kv-n07") -> str:
    return IBSTAT.format(device=device, rate=rate, model=model, host=host)


def messages(text: str) -> list[tuple[str, str]]:
    return [(found.cause, found.message) for found in check("rails-uneven", text).findings]


def test_one_rail_gives_half_of_what_its_peers_give() -> None:
    assert findings("rails-uneven", rails(392.8, 392.7, 196.4, 392.8)) == snapshot(
        [
            {
                "cause": "straggler-nic",
                "message": "kv-n07 mlx5_2 gives 196.4 Gb/s in RDMA_Write BW, 3 other HCAs give 392.8",
                "how": "error, likely",
                "suspects": ["hca kv-n07 mlx5_2", "node kv-n07"],
                "evidence": [(32, "kv-n07 mlx5_2: 196.40 Gb/s / 392.8 Gb/s")],
                "explains": ["busbw-below-expected", "link-bandwidth-low", "hardware-unknown"],
            }
        ]
    )


def test_a_low_rate_of_the_port_is_the_cause_and_no_excuse() -> None:
    text = port("mlx5_2", 200) + rails(392.8, 392.7, 196.4, 392.8)
    assert messages(text) == snapshot(
        [
            (
                "port-rate-low",
                "kv-n07 mlx5_2 gives 196.4 Gb/s in RDMA_Write BW, 3 other HCAs give 392.8: the port runs at 200 Gb/s",
            )
        ]
    )
    assert [proof.message for proof in checked(text).proofs] == snapshot(
        [
            "mlx5_0: 392.8 Gb/s, 98% of 400 Gb/s",
            "mlx5_1: 392.7 Gb/s, 98% of 400 Gb/s",
            "mlx5_3: 392.8 Gb/s, 98% of 400 Gb/s",
        ]
    )


def test_the_rails_of_all_nodes_are_compared() -> None:
    text = rails(392.8, 392.7, host="kv-n01") + rails(392.6, 101.2, host="kv-n02")
    assert messages(text) == snapshot(
        [("straggler-nic", "kv-n02 mlx5_1 gives 101.2 Gb/s in RDMA_Write BW, 3 other HCAs give 392.6")]
    )


def test_an_hca_of_another_kind_is_not_compared() -> None:
    storage = port("mlx5_3", 200, model="MT4123") + port("mlx5_0", 400)
    assert messages(storage + rails(392.8, 392.7, 392.8, 196.4)) == []
    assert len(messages(port("mlx5_3", 200) + port("mlx5_0", 400) + rails(392.8, 392.7, 392.8, 196.4))) == 1


def test_what_is_no_minority_far_below_says_nothing() -> None:
    assert messages(rails(392.8, 196.4)) == []
    assert messages(rails(392.8, 196.4, 196.4, 392.8)) == []
    assert messages(rails(392.8, 392.7, 371.0, 392.8)) == []


def test_other_queue_pairs_are_another_test() -> None:
    slow = TEST.format(host="kv-n07", device="mlx5_3", rate=196.4, messages=0.023, qps=4)
    assert messages(rails(392.8, 392.7, 392.8) + slow) == []


def test_an_hca_that_was_tested_again_counts_with_its_best() -> None:
    again = TEST.format(host="kv-n07", device="mlx5_0", rate=392.1, messages=0.046, qps=1)
    assert messages(rails(150.0, 392.7, 392.8, 392.8) + again) == []
