"""Does the IOMMU translate the transfers of GPUs and HCAs? The word of the nearest witness counts."""

from __future__ import annotations

from msgspec import Struct

from slowlink.facts.readings import by_node, latest_of_each
from slowlink.model.facts import Readings
from slowlink.model.state import Reading

_TRANSLATED = ("DMA", "DMA-FQ")
_ON = ("intel_iommu=on", "amd_iommu=on", "iommu=on", "iommu=force")
_PASSING = ("iommu=pt", "iommu.passthrough=1", "intel_iommu=off", "amd_iommu=off", "iommu=off", "iommu=soft")


class Translation(Struct, frozen=True):
    """What is known of one node."""

    node: str
    translates: bool
    sure: bool
    """The kernel says what it does; otherwise it follows from how it was started."""
    why: tuple[Reading, ...]


def translations(readings: Readings) -> list[Translation]:
    """Of each node of which something is known. Devices tell best, then all groups, the kernel's default, and last
    its command line, which tells only where an IOMMU was switched on or let through by name."""
    found = []
    for node, mine in by_node(latest_of_each(readings.all)).items():
        known = (
            _devices(node, mine)
            or _groups(node, mine)
            or _default(node, mine)
            or _absent(node, mine)
            or _asked(node, mine)
        )
        if known is not None:
            found.append(known)
    return found


def _devices(node: str, mine: list[Reading]) -> Translation | None:
    """Domains of GPUs and HCAs."""
    devices = [r for r in mine if r.attribute == "iommu-domain" and r.part.kind in ("gpu", "hca")]
    if not devices:
        return None
    translated = [r for r in devices if r.value in _TRANSLATED]
    return Translation(node, bool(translated), sure=True, why=tuple(translated or devices))


def _groups(node: str, mine: list[Reading]) -> Translation | None:
    """Domains of groups of which nobody says what is in them: few differ from the default."""
    groups = [r for r in mine if r.attribute == "iommu-domain" and r.part.kind == "pci"]
    if not groups:
        return None
    translated = [r for r in groups if r.value in _TRANSLATED]
    translates = len(translated) * 2 > len(groups)
    return Translation(node, translates, sure=len(translated) in (0, len(groups)), why=tuple(translated or groups))


def _default(node: str, mine: list[Reading]) -> Translation | None:
    """The kernel prints it whether there is an IOMMU or not: to translate, one must be there."""
    default = [r for r in mine if r.attribute == "iommu-default-domain"]
    if not default:
        return None
    translated = default[-1].value == "Translated"
    there = any(r.attribute == "iommu-present" and r.value is True for r in mine)
    asked = _asked(node, mine)
    if translated and not there and (asked is None or not asked.translates):
        return None
    return Translation(node, translated, sure=True, why=tuple(default[-1:]))


def _absent(node: str, mine: list[Reading]) -> Translation | None:
    absent = [r for r in mine if r.attribute == "iommu-present" and r.value is False]
    return Translation(node, translates=False, sure=True, why=tuple(absent)) if absent else None


def _asked(node: str, mine: list[Reading]) -> Translation | None:
    asked = [r for r in mine if r.attribute == "iommu-parameters"]
    words = str(asked[-1].value).split() if asked else []
    if any(word.startswith(_PASSING) for word in words):
        return Translation(node, translates=False, sure=False, why=tuple(asked[-1:]))
    if any(word.split(",")[0] in _ON for word in words):
        return Translation(node, translates=True, sure=False, why=tuple(asked[-1:]))
    return None
