"""All pairs of nodes are slower than the link that the text names.

Pairs that agree may all be slow. Where the text names the rate of the ports ("one NDR port each", "100 GbE") and the
test by which the pairs were measured is one of a single port (``ib_write_bw`` and its relatives), or sends from each
GPU over one port (``sendrecv``), the middle of all pairs is held against that rate: a healthy port gives 97 to
98 % of it.

Why it matters: nodes are compared with one another everywhere else, and what all of them lack shows nowhere.
How to confirm: the rate, width and PCIe link of the ports on one node (``ibstat``, ``lspci -vv``), then one pair again.
What to do: what all nodes share is to blame: a setting, a firmware, a switch, the test's own options.
When it is wrong: the text speaks of other ports, or the test used a part of them.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from slowlink.averages import median
from slowlink.facts.mentions import PortRate, port_rates
from slowlink.model.benchmark import PairTable
from slowlink.model.facts import Observations, PairSurvey
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import Proof, finding, line_evidence

CAUSES = ("link-bandwidth-low",)


class Params(Struct, frozen=True):
    """What a port gives."""

    slow_share: float = 0.75
    """Of the rate that the text names: below it all pairs are slow."""
    sound_share: float = 0.9
    """From here on they are as fast as the port."""


def check(survey: PairSurvey, observations: Observations, params: Params) -> Iterator[Finding | Proof]:
    """One finding, or one proof, for each table of one test of ports whose rate the text names."""
    rates = port_rates(observations.all)
    tests = {each.ref.source: each.value for each in observations.all if each.kind == "pair-test-mentioned"}
    for table in survey.tables:
        rate = rates.get(table.ref.source)
        if rate is not None and table.told and table.rows and table.ref.source in tests:
            yield from _judge(table, rate, tests[table.ref.source], params)


def _judge(table: PairTable, rate: PortRate, test: str, params: Params) -> Iterator[Finding | Proof]:
    factor = 1.0 if table.unit[1:2] == "b" or "bit" in table.unit.lower() else 8.0
    if not table.unit or (table.unit.lower().startswith("m")):
        return
    middle = median(row.amount for row in table.rows)
    share = middle * factor / rate.gbit
    said = (
        f"{len(table.rows)} results of {test}: {middle:g} {table.unit} in the middle, {share:.0%} of {rate.gbit:g} Gb/s"
    )
    if params.sound_share <= share <= 1.0:
        yield Proof(said, (line_evidence(table.rows[0].ref, expected=rate.basis),), weight=1, measured=True)
    elif share < params.slow_share:
        yield finding(
            "link-bandwidth-low",
            f"{said}: all pairs are slow",
            severity="error",
            confidence="possible",
            evidence=[line_evidence(table.rows[0].ref, observed=f"{middle:g} {table.unit}", expected=rate.basis)],
            explains=("busbw-below-expected",),
            remedy=[
                (
                    "See whether the ports run at their full rate and width, and their PCIe slots, too.",
                    "ibstat; lspci -vv",
                ),
            ],
        )
