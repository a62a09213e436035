"""Plain values of PCI devices, links and ACS.

``lspci_gpus lspci_hcas lspci_nics lspci_nvswitches``: numbers of devices; ``lspci_gpu_names``, ``lspci_devices``;
``acs_controls acs_redirecting acs_validating``: numbers of devices; ``pcie_links``: ``{gpu hca pci: [32GT/s x16]}``.
"""

from __future__ import annotations

import re

from slowlink.facts.pci.links import LINK_ATTRIBUTES, pcie_links
from slowlink.facts.readings import latest_in
from slowlink.facts.stretches import counts, distinct, joined, told, where
from slowlink.model.facts import Readings, State
from slowlink.patterns import regex

_MODEL = regex(r"\[([^\[\]:]{2,40})\]")
_DEVICE = regex(r"\[[0-9a-f]{4}:([0-9a-f]{4})\]|[Dd]evice (?:[0-9a-f]{4}:)?([0-9a-f]{4})\b")
"""The number of a device, as ``lspci -nn`` or a list without its name prints it."""


def summarise(state: State) -> dict[str, object]:
    """Values of all nodes together, for each kind that was collected."""
    return {**_devices(state), **_access_control(state), **_links(state)}


def _devices(state: State) -> dict[str, object]:
    roles = latest_in(state, "pci-role")
    if not roles:
        return {}
    kinds = counts(roles, lambda _, value: str(value))
    names = {(r.host, r.part): str(r.value) for r in latest_in(state, "pci-device")}
    gpus = [names.get((r.host, r.part), "") for r in where(roles, lambda _, value: value == "gpu")]
    found: dict[str, object] = {
        "lspci_gpus": kinds.get("gpu", 0),
        "lspci_hcas": kinds.get("hca", 0),
        "lspci_nics": kinds.get("hca", 0) + kinds.get("nic", 0),
        "lspci_nvswitches": kinds.get("nvswitch", 0),
        "lspci_bridges": kinds.get("bridge", 0),
    }
    if gpus:
        found["lspci_gpu_names"] = list(dict.fromkeys(filter(None, gpus)))
        found["lspci_gpu_models"] = _parts(_MODEL, gpus)
        found["lspci_gpu_devices"] = _parts(_DEVICE, gpus)
    drivers = distinct(latest_in(state, "pci-driver"), lambda _, value: str(value))
    return {**found, **({"pci_drivers": drivers} if drivers else {})}


def _parts(pattern: re.Pattern[str], names: list[str]) -> list[str]:
    found = (pattern.search(name) for name in names)
    return list(dict.fromkeys(next(filter(None, match.groups())) for match in found if match))


def _access_control(state: State) -> dict[str, object]:
    redirect, validate = latest_in(state, "acs-redirect"), latest_in(state, "acs-source-validation")
    values: dict[str, object] = {}
    if redirect:
        values["acs_controls"] = len(redirect)
        values["acs_redirecting"] = sum(r.value is True for r in redirect)
        values["acs_validating"] = sum(r.value is True for r in validate)
        validating = {(r.host, r.part) for r in validate if r.value is True}
        values["acs_set"] = sum(r.value is True or (r.host, r.part) in validating for r in redirect)
    if any(r.value is False for r in latest_in(state, "pci-capabilities-readable")):
        values["pci_capabilities_denied"] = True
    return values


def _links(state: State) -> dict[str, object]:
    of_each = {name: state.readings[name].all for name in LINK_ATTRIBUTES if name in state.readings}
    if not of_each:
        return {}
    links = pcie_links(Readings((), of_each), None)
    does: dict[str, list[str]] = {}
    can: dict[str, list[str]] = {}
    for link in links:
        if link.width is not None:
            does.setdefault(link.part.kind, []).append(_said(link.speed, link.width))
        if link.width_max is not None:
            can.setdefault(link.part.kind, []).append(_said(link.speed_max, link.width_max))
    reduced = joined(told(readings) for name, readings in of_each.items() if name.endswith("-reduced"))
    marked = {(r.host, r.part) for r in where(reduced, lambda _, value: value is True)}
    return {
        "pcie_devices": [link.part.name.removeprefix("0000:") for link in links][:100],
        "pcie_link_count": sum(link.width is not None for link in links),
        "pcie_links": {kind: list(dict.fromkeys(found)) for kind, found in does.items()},
        "pcie_links_max": {kind: list(dict.fromkeys(found)) for kind, found in can.items()},
        "pcie_width_zero": sum(link.width == 0 for link in links),
        "pcie_marked_downgraded": len(marked),
    }


def _said(speed: float | None, width: int) -> str:
    return f"{speed:g}GT/s x{width}" if speed is not None else f"x{width}"
