"""A port runs below its rate.

NCCL saw the speed of a port change to less than it was when the job began: the link trained again with fewer lanes or
at a lower speed.

Why it matters: a ring is as fast as its slowest link.
How to confirm: ``ibstat`` (Rate) or ``mlxlink -d HCA`` on the node, compared with the other ports.
What to do: clean or replace the cable or transceiver; look at the error counters of both ends.
When it is wrong: the rate may be low only for a moment, while a link trains.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.facts import Warnings
from slowlink.model.report import Finding
from slowlink.rules.evidence.commands import as_hca, command
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import NCCL_TROUBLESHOOTING
from slowlink.rules.evidence.messages import at_hosts, groups_of, hosts_of, listed, refs_of, warned

CAUSES = ("port-rate-low",)


def check(warnings: Warnings) -> Iterator[Finding]:
    """One finding for all ports that became slower; the rates are those of the first."""
    found = [w for w in warned(warnings, "ib-speed-changed") if _rate(w.groups.get("new")) < _rate(w.groups.get("old"))]
    if not found:
        return
    first, ports = found[0].groups, groups_of(found, "hca")
    yield finding(
        "port-rate-low",
        f"{at_hosts(hosts_of(found))}{listed(ports) or 'a port'} fell from {_rate(first.get('old')) / 1000:g} to "
        f"{_rate(first.get('new')) / 1000:g} Gb/s during the run",
        severity="error",
        confidence="certain",
        evidence=lines_evidence(refs_of(found)),
        suspects=(*suspects("port", ports), *suspects("node", hosts_of(found))),
        explains=("busbw-below-expected", "bandwidth-unstable", "straggler-nic"),
        remedy=[
            (
                "Read the link's state and counters.",
                command("mlxlink", "-d", as_hca(next(iter(ports), None)), "-c", "-e", "-m"),
            )
        ],
        references=[NCCL_TROUBLESHOOTING],
    )


def _rate(text: str | None) -> int:
    """Mb/s as printed; 0 when it is not readable."""
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 10 else 0
