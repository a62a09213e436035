from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import remedy_of

from slowlink.facts.differences import differences
from slowlink.facts.state import state
from slowlink.model.records import Records
from slowlink.model.report import Finding
from slowlink.model.source import Ref
from slowlink.model.state import Part, Reading
from slowlink.rules.software.versions_differ import Params, check


def findings(versions: dict[str, str], attribute: str = "driver-version") -> list[Finding]:
    readings = tuple(
        Reading(attribute, Part("node"), version, Ref(f"{node}.txt", 7, f"Driver Version : {version}"), node)
        for node, version in versions.items()
    )
    compared = differences(state(Records(readings=readings)))
    assert compared is not None
    return list(check(compared, Params()))


FLEET = {f"gpu{number:02}": "570.86.10" for number in range(1, 17)}


def test_the_node_with_another_driver_is_named() -> None:
    (found,) = findings({**FLEET, "gpu05": "535.104.05"})
    assert (found.cause, found.severity, found.confidence, found.message) == snapshot(
        (
            "version-mismatch",
            "warning",
            "certain",
            "GPU driver differs: 535.104.05 on gpu05, while 15 others have 570.86.10",
        )
    )
    assert [(s.kind, s.name) for s in found.suspects] == [("node", "gpu05")]
    assert [(e.source, e.observed, e.expected) for e in found.evidence] == snapshot(
        [
            ("gpu05.txt", "GPU driver: 535.104.05", "570.86.10"),
            ("gpu01.txt", "GPU driver: 570.86.10", "570.86.10"),
            ("gpu02.txt", "GPU driver: 570.86.10", "570.86.10"),
        ]
    )


def test_of_two_nodes_neither_is_the_odd_one() -> None:
    (found,) = findings({"a": "1.0", "b": "2.0"})
    assert (found.message, [s.name for s in found.suspects]) == snapshot(
        ("GPU driver differs: 2.0 on b, while the other one has 1.0", ["a", "b"])
    )


def test_equal_versions_and_what_matters_little_are_silent() -> None:
    assert findings(FLEET) == []
    assert findings({"a": "12.4", "b": "12.8"}, "cuda-version") == []


def test_it_says_what_to_do() -> None:
    (found,) = findings({**FLEET, "gpu05": "535.104.05"})
    assert remedy_of(found) == snapshot(
        [("Bring the odd nodes to the version of the others, or take them out of the job.", "")]
    )
