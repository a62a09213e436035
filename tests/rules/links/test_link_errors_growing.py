from __future__ import annotations

from inline_snapshot import snapshot
from job_findings import check, findings
from port_texts import node
from state_proofs import proofs_of
from text_findings import remedies_of, said

RULE = "link-errors-growing"


def counted(number: int, **counters: int) -> str:
    folder = "/sys/class/infiniband/mlx5_0/ports/1/counters"
    return node(number, *(f"{folder}/{name}:{value}" for name, value in counters.items()))


def test_a_symbol_error_between_two_readings() -> None:
    text = counted(1, symbol_error=3) + counted(2, symbol_error=0) + counted(1, symbol_error=5)
    assert findings(RULE, text + counted(2, symbol_error=0)) == snapshot(
        [
            {
                "cause": "link-errors",
                "message": "gpu01: mlx5_0: symbol errors grew by 2",
                "how": "error, certain",
                "suspects": ["port gpu01 mlx5_0/1", "node gpu01"],
                "evidence": [(6, "5 / as before: 3")],
                "explains": ["bandwidth-unstable", "rdma-retry-exceeded", "busbw-below-expected", "straggler-nic"],
            }
        ]
    )


def test_few_received_errors_are_a_warning() -> None:
    assert said(RULE, counted(1, port_rcv_errors=7) + counted(1, port_rcv_errors=9)) == snapshot(
        [("link-errors", "warning", "possible", "gpu01: mlx5_0: received packets with errors grew by 2")]
    )


def test_a_total_says_nothing_however_large() -> None:
    done = check(RULE, counted(1, symbol_error=65535, port_rcv_errors=4_000_000))
    assert (done.findings, done.proofs) == ((), ())


def of_ports(name: str, *values: int) -> str:
    """One counter of mlx5_0, mlx5_1 ... of a node."""
    folder = "/sys/class/infiniband/mlx5_{}/ports/1/{}"
    return node(7, *(f"{folder.format(port, name)}:{value}" for port, value in enumerate(values)))


def test_one_port_far_above_its_like() -> None:
    text = of_ports("counters/symbol_error", 0, 3, 41_250, 1)
    assert said(RULE, text) == snapshot(
        [
            (
                "link-errors",
                "warning",
                "possible",
                "gpu07: mlx5_2: symbol errors: 41250 since the last reset, far above the other ports of the node; a second reading shows whether they still grow",
            )
        ]
    )
    assert said(RULE, of_ports("hw_counters/local_ack_timeout_err", 7, 90_000, 12)) == snapshot(
        [
            (
                "link-errors",
                "warning",
                "possible",
                "gpu07: mlx5_1: transfers not acknowledged in time: 90000 since the last reset, far above the other ports of the node; a second reading shows whether they still grow",
            )
        ]
    )


def test_what_all_ports_have_and_what_two_ports_differ_in_is_not_odd() -> None:
    for values in ((40_000, 41_250, 39_000), (0, 41_250), (0, 990, 3)):
        assert said(RULE, of_ports("counters/symbol_error", *values)) == []


def test_what_was_read_twice_and_did_not_grow_is_over() -> None:
    text = of_ports("counters/symbol_error", 0, 3, 41_250, 1)
    done = check(RULE, text + text)
    assert (done.findings, len(done.proofs)) == ((), 1)


def test_no_growth_is_a_proof() -> None:
    done = check(RULE, counted(1, symbol_error=65535) + counted(1, symbol_error=65535))
    assert (done.findings, [proof.message for proof in done.proofs]) == snapshot(
        ((), ["error counters of 1 port did not grow"])
    )


def test_a_physical_port_of_an_hca_speaks_for_the_fabric_and_another_interface_does_not() -> None:
    phy = "NIC statistics:\n     rx_symbol_err_phy: 21\n     rx_crc_errors_phy: 17\n"
    other = "/sys/class/net/ens1np0/statistics/rx_crc_errors:0\n"
    assert [proof.weight for proof in check(RULE, f"# ethtool -S ens4np0\n{phy}" * 2).proofs] == [1]
    assert [proof.weight for proof in check(RULE, node(1, other) * 2).proofs] == [0]


def test_no_errors_at_all_are_a_proof() -> None:
    done = check(RULE, counted(1, symbol_error=0, port_rcv_errors=0))
    assert (done.findings, [proof.message for proof in done.proofs]) == snapshot(
        ((), ["no errors were counted at 1 port since the counters were reset"])
    )


def test_it_says_what_to_do() -> None:
    assert remedies_of(RULE, counted(1, symbol_error=3) + counted(1, symbol_error=5)) == snapshot(
        [[("Read the module and the link's counters.", "mlxlink -d mlx5_0 -m -c -e")]]
    )


def test_checksum_errors_of_an_interface() -> None:
    text = node(1, "/sys/class/net/ens1np0/statistics/rx_crc_errors:0")
    text += node(1, "/sys/class/net/ens1np0/statistics/rx_crc_errors:4")
    assert said(RULE, text) == snapshot(
        [("link-errors", "error", "certain", "gpu01: ens1np0: received packets with a wrong checksum grew by 4")]
    )
    assert remedies_of(RULE, text) == snapshot(
        [[("Read the module and the link's counters.", "ethtool -m ens1np0; ethtool -S ens1np0")]]
    )


def mlxlink(symbol: int, effective: int) -> str:
    return (
        "# mlxlink -d mlx5_5 -c\nOperational Info\nState                 : Active\n"
        f"Physical Counters and BER Info\nSymbol Errors         : {symbol}\n"
        f"Effective Physical Errors       : {effective}\n"
    )


def test_thousands_of_errors_that_correction_could_not_repair() -> None:
    assert said(RULE, mlxlink(9_000, 8_000) + mlxlink(12_500, 11_000)) == snapshot(
        [("link-errors", "error", "certain", "mlx5_5: symbol errors after error correction grew by 3500")]
    )


def test_a_few_of_them_are_a_warning_as_a_sound_link_has_one_now_and_then() -> None:
    assert said(RULE, mlxlink(3, 0) + mlxlink(5, 0)) == snapshot(
        [("link-errors", "warning", "possible", "mlx5_5: symbol errors after error correction grew by 2")]
    )
    assert said(RULE, mlxlink(9_000, 8_000)) == []


def test_lost_packets_leave_no_proof_of_sound_links() -> None:
    text = "link mlx5_0/1 packet_seq_err {} local_ack_timeout_err 0 rx_icrc_encapsulated 0\n"
    assert proofs_of("link-errors-growing", text.format(0)) == snapshot(
        [("no errors were counted at 1 port since the counters were reset", 1)]
    )
    assert proofs_of("link-errors-growing", text.format(81201)) == []


def test_interfaces_that_dropped_packets_are_no_proof() -> None:
    sound = "NIC statistics:\n     frames_rx_bad_fcs: 0\n     hw_rx_dropped: 0\n"
    assert proofs_of(RULE, sound) == snapshot([("no errors were counted at 1 port since the counters were reset", 0)])
    assert proofs_of(RULE, sound.replace("hw_rx_dropped: 0", "hw_rx_dropped: 48211733")) == snapshot(
        [
            (
                "no errors were counted at 1 port since the counters were reset, but node0: unnamed-1 dropped packets: received packets dropped: 48211733",
                0,
            )
        ]
    )


def test_one_port_far_above_its_like_in_what_a_receiver_could_not_take() -> None:
    def ports(odd: int) -> str:
        files = "/sys/class/infiniband/mlx5_{}/ports/1/hw_counters/out_of_sequence:{}"
        return node(1, *(files.format(number, odd if number == 2 else 11) for number in range(4)))

    sound = counted(1, symbol_error=0)
    assert said(RULE, sound + ports(8_201_450)) == snapshot(
        [
            (
                "link-errors",
                "warning",
                "possible",
                "gpu01: mlx5_2: packets out of sequence: 8201450 since the last reset, far above the other ports of the node; a second reading shows whether they still grow",
            )
        ]
    )
    assert said(RULE, sound + ports(90)) == []
