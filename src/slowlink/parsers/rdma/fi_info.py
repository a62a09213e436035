"""``fi_info`` of libfabric: the domain of an endpoint is the HCA, which for HPE Slingshot names its kind.

One block for each endpoint; the long form (``-v``) has the name below ``fi_domain_attr``::

    provider: cxi
        fabric: cxi
        domain: cxi0
        version: 0.1
        type: FI_EP_RDM
        protocol: FI_PROTO_CXI

What ``provider:`` says is read where networks with a plug-in are (``plugin_fabrics``).

Source: libfabric 1.15 to 2.1, ``util/info.c``; fi_cxi(7): a domain of the provider is one Cassini NIC, ``cxi<n>``.
"""

from __future__ import annotations

from typing import ClassVar

from slowlink.model.source import Line
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.observation_table import Fact, ObservationParser
from slowlink.patterns import regex

CXI_DEVICE = "cxi-device"

FACTS = (
    Fact(
        CXI_DEVICE,
        "domain: cxi",
        r"^\s*domain: (?P<subject>cxi\d{1,2})\b",
        ("    domain: cxi0", "domain: cxi3"),
        value="fi_info",
    ),
)
_REST = regex(
    r"\s{2,20}(?:fabric: \S{1,100}|version: [\d.]{1,9}|type: FI_EP_\w{1,12}|protocol: FI_PROTO_\w{1,30})\s{0,8}"
)


class FiInfo(ObservationParser):
    """One observation for each Slingshot HCA; the rest of a block is known and says nothing."""

    kind: ClassVar[str] = "fi_info"
    literals: ClassVar[Literals | None] = Literals(
        (
            *(fact.mark for fact in FACTS),
            *("\nfabric: ", "\nversion: ", "\ntype: FI_EP_", "\nprotocol: FI_PROTO_"),
        )
    )
    facts: ClassVar[tuple[Fact, ...]] = FACTS

    @classmethod
    def wants(cls, text: str) -> bool:
        return super().wants(text) or _REST.fullmatch(text) is not None

    def take(self, line: Line, text: str) -> Use:
        return Use.IGNORED if _REST.fullmatch(text) is not None else super().take(line, text)


PARSER = FiInfo
