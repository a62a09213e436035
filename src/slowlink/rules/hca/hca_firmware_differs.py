"""HCAs of one kind run different firmware on one node.

Compared are the HCAs of a node that have the same model and the same board (PSID, where it was read): those were
bought together and are updated together. Another model has firmware of its own. Between nodes ``versions-differ``
compares HCAs of one name.

Why it matters: firmware holds congestion control, adaptive routing and the timers of retransmission. One HCA that an
update missed may be slower than its like, or reset alone.
How to confirm: ``ibstat | grep -E "CA '|Firmware"``; ``mlxfwmanager`` shows what is installed, and what a reset would
load.
What to do: bring it to the version of the others, and reset it or restart the node.
When it is wrong: HCAs for storage or management may be held at another version on purpose.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Annotated

from slowlink.facts.readings import by_attribute, latest
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Finding
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import finding
from slowlink.rules.evidence.messages import listed
from slowlink.rules.evidence.node_readings import node_suspects, on_nodes, part_suspects, reading_evidence

CAUSES = ("version-mismatch",)


def check(
    firmware: Annotated[Readings, Of("hca-firmware")],
    kinds: Annotated[Readings, Of("hca-model", "hca-board-id")],
) -> Iterator[Finding]:
    """One finding for each version that few HCAs of a node have."""
    models, boards = (latest(by_attribute(kinds, name)) for name in ("hca-model", "hca-board-id"))
    alike: dict[tuple[str, str, str], list[Reading]] = {}
    for where, reading in latest(by_attribute(firmware, "hca-firmware")).items():
        model, board = (str(of[where].value) if where in of else "" for of in (models, boards))
        if model or board:
            alike.setdefault((where[0], model, board), []).append(reading)
    odd: dict[tuple[str, str], list[Reading]] = {}
    for group in alike.values():
        versions = Counter(str(reading.value) for reading in group)
        usual = max(versions, key=lambda version: (versions[version], version))
        for reading in group:
            if reading.value != usual:
                odd.setdefault((str(reading.value), usual), []).append(reading)
    for (version, usual), found in odd.items():
        yield _finding(found, version, usual)


def _finding(found: Sequence[Reading], version: str, usual: str) -> Finding:
    names = list(dict.fromkeys(reading.part.name for reading in found))
    verb = "runs" if len(names) == 1 else "run"
    return finding(
        "version-mismatch",
        f"{on_nodes(found)}{listed(names)} {verb} firmware {version}, others of the same model there {usual}",
        severity="warning",
        confidence="possible",
        evidence=reading_evidence(found, expected=usual),
        suspects=(*part_suspects("hca", found), *node_suspects(found)),
        remedy=[("See what each has installed, and what it would load.", "mlxfwmanager --query")],
    )
