from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

TEXT = "GPU[{}]\t\t: XGMI Error count: {} errors detected since last read.\n"


def test_errors_are_a_warning() -> None:
    assert said("xgmi-errors", TEXT.format(0, "No") + TEXT.format(1, "Multiple")) == snapshot(
        [("nvlink-down", "warning", "possible", "GPU 1: errors of xGMI links since they were read last")]
    )


def test_none() -> None:
    assert findings_of("xgmi-errors", TEXT.format(0, "No")) == ()


def test_it_says_what_to_do() -> None:
    assert remedies_of("xgmi-errors", TEXT.format(0, "No") + TEXT.format(1, "Multiple")) == snapshot(
        [[("Reset the count, run the collective, and look again.", "rocm-smi --resetxgmierr; rocm-smi --showxgmierr")]]
    )
