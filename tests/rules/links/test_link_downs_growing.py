from __future__ import annotations

from inline_snapshot import snapshot
from port_texts import node
from text_findings import findings_of, remedies_of, said

RULE = "link-downs-growing"
FOLDER = "/sys/class/infiniband/mlx5_0/ports/1/counters"


def downed(number: int, value: int) -> str:
    return node(number, f"{FOLDER}/link_downed:{value}")


def changed(number: int, value: int) -> str:
    return node(number, f"/sys/class/net/ens1np0/carrier_changes:{value}")


def test_it_grew() -> None:
    assert said(RULE, downed(1, 2) + downed(2, 0) + downed(1, 4) + downed(2, 0)) == snapshot(
        [("link-flapping", "error", "certain", "gpu01: mlx5_0 lost its link 2 times between two readings")]
    )


def test_a_carrier_goes_and_comes() -> None:
    assert said(RULE, changed(1, 3) + changed(1, 5)) == snapshot(
        [("link-flapping", "error", "certain", "gpu01: ens1np0 lost its link 1 time between two readings")]
    )
    assert findings_of(RULE, changed(1, 3) + changed(1, 4)) == ()


def test_a_counter_at_its_end_is_only_noted() -> None:
    assert said(RULE, downed(1, 255)) == snapshot(
        [
            (
                "link-flapping",
                "info",
                "possible",
                "gpu01: mlx5_0 lost the link 255 times since the counter was last reset, where its eight bits end; when, a total cannot say: read it again",
            )
        ]
    )


def test_silent_on_totals() -> None:
    assert findings_of(RULE, downed(1, 12)) == ()


def test_it_says_what_to_do() -> None:
    assert remedies_of(RULE, downed(1, 2) + downed(1, 4)) == snapshot(
        [[("Read the cable's and the port's own counters.", "mlxlink -d mlx5_0 -m -c -e")]]
    )
    assert remedies_of(RULE, changed(1, 3) + changed(1, 5)) == snapshot(
        [[("Read the cable's and the port's own counters.", "ethtool -m ens1np0; ethtool -S ens1np0")]]
    )
    assert remedies_of(RULE, downed(1, 255)) == snapshot([[("Read it before and after a run.", "perfquery")]])


def test_the_evidence_is_the_later_line_with_both_values() -> None:
    (found,) = findings_of(RULE, downed(1, 2) + downed(1, 4))
    assert [(line.line, line.observed, line.expected) for line in found.evidence] == snapshot(
        [(4, "4", "as before: 2")]
    )


CHANGES = "/sys/class/net/hsn{}/carrier_changes:{}\n"


def test_a_port_that_lost_its_link_far_more_often_than_its_like() -> None:
    text = "".join(CHANGES.format(*each) for each in enumerate((2, 2, 58, 4)))
    assert said("link-downs-growing", text) == snapshot(
        [
            (
                "link-flapping",
                "warning",
                "likely",
                "hsn2 lost the link 29 times since the counter was last reset, far more often than the other ports of "
                "the node; when, a total cannot say",
            )
        ]
    )


def test_ports_that_went_through_the_same_restarts_are_alike() -> None:
    for counts in ((52, 50, 58, 54), (2, 58)):
        text = "".join(CHANGES.format(*each) for each in enumerate(counts))
        assert findings_of("link-downs-growing", text) == ()
