"""What solvers say of their own results."""

from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import said
from whole_inputs import checked

DEVICE = "  Device info: NVIDIA H100 80GB HBM3, 4 of 4 devices visible\n"
ROW = "WC0           131072  1024     2     2              14.10       1.065e+05 ( {each}e+04)\n"
CHECK = "||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)=   0.0021114 ...... PASSED\n"


def _proofs(text: str) -> list[str]:
    return [proof.message for proof in checked(text).proofs if "HPL" in proof.message]


def test_a_good_rate_with_a_check_that_passed_is_a_proof() -> None:
    assert _proofs(DEVICE + ROW.format(each="4.955") + CHECK) == snapshot(
        ["HPL on 4 GPUs: 49.5 TFLOPS each, 74% of what NVIDIA H100 SXM can do, and its check passed"]
    )


def test_a_low_rate_or_none_of_double_precision_or_no_check_proves_nothing() -> None:
    assert _proofs(DEVICE + ROW.format(each="3.101") + CHECK) == []
    assert _proofs(DEVICE + ROW.format(each="29.10") + CHECK) == []
    assert _proofs(DEVICE + ROW.format(each="4.955")) == []
    assert _proofs(ROW.format(each="4.955") + CHECK) == []


def test_a_check_that_failed_is_wrong_data() -> None:
    text = DEVICE + ROW.format(each="4.955") + CHECK.replace("PASSED", "FAILED")
    assert said("solver-result", text) == snapshot(
        [
            (
                "wrong-results",
                "critical",
                "likely",
                "1 of 1 check of a solver's result failed: some part computed or carried wrong numbers",
            )
        ]
    )
    assert _proofs(text) == []
