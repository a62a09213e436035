"""One HCA with other firmware than its like."""

from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

RULE = "hca-firmware-differs"


def ibstat(*firmware: tuple[str, str]) -> str:
    return "[root@gpu07 ~]# ibstat\n" + "".join(
        f"CA 'mlx5_{number}'\n\tCA type: {model}\n\tNumber of ports: 1\n\tFirmware version: {version}\n"
        for number, (model, version) in enumerate(firmware)
    )


NEW, OLD = ("MT4129", "28.39.1002"), ("MT4129", "28.35.1012")


def test_one_that_an_update_missed() -> None:
    text = ibstat(NEW, NEW, OLD, NEW)
    assert said(RULE, text) == snapshot(
        [
            (
                "version-mismatch",
                "warning",
                "possible",
                "gpu07: mlx5_2 runs firmware 28.35.1012, others of the same model there 28.39.1002",
            )
        ]
    )
    (found,) = findings_of(RULE, text)
    assert [(suspect.kind, suspect.name) for suspect in found.suspects] == snapshot(
        [("hca", "gpu07 mlx5_2"), ("node", "gpu07")]
    )
    assert remedies_of(RULE, text) == snapshot(
        [[("See what each has installed, and what it would load.", "mlxfwmanager --query")]]
    )


def test_of_as_many_the_newer_is_usual() -> None:
    assert [message for *_, message in said(RULE, ibstat(OLD, NEW))] == snapshot(
        ["gpu07: mlx5_0 runs firmware 28.35.1012, others of the same model there 28.39.1002"]
    )


def test_silent_on_other_models_and_equal_ones() -> None:
    assert said(RULE, ibstat(NEW, NEW, ("MT41692", "32.41.1000"))) == []


def test_silent_where_no_model_was_read() -> None:
    lines = [line for line in ibstat(NEW, OLD).splitlines() if "CA type" not in line]
    assert said(RULE, "\n".join(lines)) == []
