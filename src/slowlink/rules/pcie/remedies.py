"""The remedy that rules about PCIe links share."""

from __future__ import annotations

from slowlink.rules.evidence.findings import Step

RESEAT = (
    Step("Compare what the link can do with what it does, under load.", "lspci -vv | grep -E 'LnkCap:|LnkSta:'"),
    Step("Reseat the card, and compare with a sound node."),
)
