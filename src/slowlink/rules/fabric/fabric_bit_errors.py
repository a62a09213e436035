"""A link has more bit errors than error correction can hide.

mlxlink and ibdiagnet print the rate of bit errors. On HDR and NDR (PAM4) links the *raw* rate is always high, 1e-6 to
1e-8, and says nothing. What counts is the effective rate, after error correction, and the rate of symbol errors: above
1e-12 is an error, above 1e-15 a warning.

Why it matters: what error correction cannot repair is sent again by the link or by the transport, most of all under
load.
How to confirm: ``mlxlink -d HCA -c``: clear with ``--pc``, wait, and read again. At 400 Gb/s a rate of 1e-15 is one
error in 42 minutes: wait two hours.
What to do: clean, reseat or replace the cable or transceiver; watch whether the errors stay with the port.
When it is wrong: rates count from the last clear, which may be older than the cable.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from msgspec import Struct

from slowlink.facts.fabric import PORT, host_of, node_of
from slowlink.facts.readings import by_attribute, latest, name_of_node
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Finding
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import Proof, finding, line_evidence, suspects
from slowlink.rules.evidence.messages import counted
from slowlink.rules.fabric.fabric_phrases import FABRIC_TOOLS, LOST_LINK, some

CAUSES = ("link-errors",)

_SHOWN = 20
"""Ports that are named."""


class Params(Struct, frozen=True):
    """Bit errors after error correction, as a share of all bits."""

    bad: float = 1e-12
    """Above it a link is at fault: the default of ibdiagnet's ``--ber_thresh``, and of DCGM for NVLink."""
    good: float = 1e-15
    """What NDR links are commonly asked to keep. Between the two nothing is proven."""


def check(
    rates: Annotated[Readings, Of("link-effective-ber", "link-symbol-ber")], params: Params
) -> Iterator[Finding | Proof]:
    """Ports above the limit, ports between the two limits, and a proof where all are below."""
    now: list[Reading] = []
    for name in ("link-effective-ber", "link-symbol-ber"):
        now += latest(by_attribute(rates, name)).values()
    bad = [reading for reading in now if _rate(reading) > params.bad]
    odd = [reading for reading in now if params.good < _rate(reading) <= params.bad]
    if bad:
        yield _finding(bad, params.bad, sure=True)
    elif odd:
        yield _finding(odd, params.good, sure=False)
    elif now:
        ports = {(reading.host, reading.part) for reading in now}
        worst = max(_rate(reading) for reading in now)
        rate = f"{worst:.0e} or less" if worst else "no errors"
        yield Proof(f"bit errors after error correction at {counted(len(ports), 'port')}: {rate}", weight=1)


def _rate(reading: Reading) -> float:
    return float(reading.value) if isinstance(reading.value, int | float) else 0.0


def _finding(found: Sequence[Reading], limit: float, sure: bool) -> Finding:
    ports = [f"{_port(r)} {_rate(r):.1e}" for r in found]
    return finding(
        "link-errors",
        f"bit errors after error correction are above {limit:.0e}: {some(ports)}",
        severity="error" if sure else "warning",
        confidence="likely" if sure else "possible",
        evidence=[line_evidence(r.ref, observed=f"{_rate(r):.1e}", expected=f"<= {limit:.0e}") for r in found[:4]],
        suspects=(*suspects("port", map(_port, found[:_SHOWN])), *suspects("node", map(_host, found[:_SHOWN]))),
        explains=LOST_LINK if sure else (),
        remedy=[
            ("Clear the counters, wait under load, and read them again.", "mlxlink -d HCA --pc; mlxlink -d HCA -c")
        ],
        references=[FABRIC_TOOLS],
    )


def _port(reading: Reading) -> str:
    """A port of the fabric by its own name, one of a node's HCAs with the node."""
    if reading.part.kind == PORT:
        return reading.part.name
    return " ".join(filter(None, (name_of_node(reading), reading.part.name)))


def _host(reading: Reading) -> str | None:
    """The node of the HCA; of a port of the fabric the one that it is named after."""
    if reading.part.kind != PORT:
        return name_of_node(reading)
    node = node_of(reading.part.name)
    return host_of(node) if " " in node else None
