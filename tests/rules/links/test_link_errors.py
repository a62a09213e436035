from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

FAILED = "mlx5_core 0000:12:00.0: Port module event[error]: module 0, Cable error, Bus stuck\n"

FINE = "mlx5_core 0000:12:00.0 ens1np0: Link up\n"


def test_names_hca_and_error() -> None:
    assert said("link-errors", FAILED) == snapshot(
        [
            (
                "link-errors",
                "error",
                "likely",
                "the cable or transceiver of HCA 0000:12:00.0 is faulty: Cable error, Bus stuck",
            )
        ]
    )


def test_silent_on_a_link_that_comes_up() -> None:
    assert findings_of("link-errors", FINE) == ()


def test_it_says_what_to_do() -> None:
    assert remedies_of("link-errors", FAILED) == snapshot(
        [[("Read the module and the link's counters.", "mlxlink -d 0000:12:00.0 -m -c -e")]]
    )
