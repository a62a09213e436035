from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from job_findings import check
from text_findings import remedies_of, said


def mlxlink(effective: str, symbol: str, raw: str = "3E-7") -> str:
    return (
        "[root@gpu05 ~]# mlxlink -d mlx5_2 -c\n\nOperational Info\n----------------\nState : Active\n\n"
        "Physical Counters and BER Info\n------------------------------\n"
        f"Symbol BER : {symbol}\nEffective Physical BER : {effective}\nRaw Physical BER : {raw}\n"
    )


def test_errors_after_error_correction_are_a_fault() -> None:
    assert said("fabric-bit-errors", mlxlink("2E-9", "15E-255")) == snapshot(
        [
            (
                "link-errors",
                "error",
                "likely",
                "bit errors after error correction are above 1e-12: gpu05 mlx5_2/1 2.0e-09",
            )
        ]
    )


def test_between_the_limits_nothing_is_proven() -> None:
    assert [entry[:3] for entry in said("fabric-bit-errors", mlxlink("15E-255", "3E-14"))] == [
        ("link-errors", "warning", "possible")
    ]


@pytest.mark.parametrize("raw", ["1E-5", "4E-8"])
def test_raw_errors_are_normal(raw: str) -> None:
    found = check("fabric-bit-errors", mlxlink("15E-255", "15E-255", raw))
    assert (found.findings, [proof.message for proof in found.proofs]) == snapshot(
        ((), ["bit errors after error correction at 1 port: no errors"])
    )


def test_not_told_is_not_good() -> None:
    assert check("fabric-bit-errors", mlxlink("N/A", "N/A")).outcome.outcome == "skipped"


EXTENDED = """\
Ty  : # : #IB : GUID : LID : Sta : PhysSta : LWA : LSA : Conn LID (#) : FEC mode : RTR : Raw BER : Effective BER : Symbol BER : Symbol Err : Effective Err : Node Desc
CA  : 1 : 1 : 0x0c42a10300aa0100 : 21 (0x15) : ACT : LINK UP : 4x : 100 : 7 (1) : RS : NO-RTR : 3e-07 : 4e-10 : 1.5e-254 : 0 : 9 : "gpu01 mlx5_0"
"""


def test_a_port_of_the_fabric_is_named_with_its_host() -> None:
    (found,) = check("fabric-bit-errors", EXTENDED).findings
    assert {(s.kind, s.name) for s in found.suspects} == {("port", "gpu01 mlx5_0/1"), ("node", "gpu01")}


def test_it_says_what_to_do() -> None:
    assert remedies_of("fabric-bit-errors", mlxlink("2E-9", "15E-255")) == snapshot(
        [[("Clear the counters, wait under load, and read them again.", "mlxlink -d HCA --pc; mlxlink -d HCA -c")]]
    )
