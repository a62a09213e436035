from __future__ import annotations

from inline_snapshot import snapshot
from state_proofs import on_nodes, proofs_of
from text_findings import findings_of, remedies_of, said

from nvidia_smi_outputs import link_errors


def test_growth_is_an_error() -> None:
    text = on_nodes(node07=link_errors(replay=4) + link_errors(replay=9))
    assert said("nvlink-errors", text) == snapshot(
        [("nvlink-down", "error", "likely", "node07 GPU 2: replay errors grew by 5 on 1 NVLink")]
    )


def test_errors_of_unknown_age_are_a_warning() -> None:
    assert said("nvlink-errors", link_errors(replay=4)) == snapshot(
        [("nvlink-down", "warning", "possible", "GPU 2: replay errors on 1 NVLink since the driver was loaded")]
    )


def test_errors_that_did_not_grow_are_of_unknown_age() -> None:
    assert [
        f.severity for f in findings_of("nvlink-errors", link_errors(replay=4) + link_errors(replay=4))
    ] == snapshot(["warning"])


def test_crc_errors_matter_by_growth_only() -> None:
    assert findings_of("nvlink-errors", link_errors(crc=4711)) == ()
    assert said("nvlink-errors", link_errors(crc=4711) + link_errors(crc=4720)) == snapshot(
        [("nvlink-down", "warning", "possible", "GPU 2: CRC errors grew by 9 on 1 NVLink")]
    )


def test_bit_error_rate() -> None:
    text = (
        "GPU 0: NVIDIA B200 (UUID: GPU-5e1f7a20-1111-2222-3333-000000000001)\n"
        "\t Link 0: Effective BER: 3e-9\n\t Link 1: Effective BER: 15e-255\n"
    )
    assert said("nvlink-errors", text) == snapshot(
        [("nvlink-down", "error", "likely", "GPU 0: bit error rate 3.0e-09 after correction on 1 NVLink")]
    )


def test_no_errors() -> None:
    assert proofs_of("nvlink-errors", link_errors()) == snapshot(
        [("8 GPUs: no replay or recovery error on 144 NVLinks", 0)]
    )


def test_it_says_what_to_do() -> None:
    text = on_nodes(node07=link_errors(replay=4) + link_errors(replay=9))
    assert remedies_of("nvlink-errors", text) == snapshot(
        [
            [
                ("Read the counters twice, with a collective inside the node in between.", "nvidia-smi nvlink -e"),
                ("Test the node with nothing else on it.", "dcgmi diag -r 3"),
            ]
        ]
    )
