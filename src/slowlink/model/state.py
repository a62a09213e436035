"""The state that nodes, their devices and their fabric are in: one reading a value.

What tools print about a node differs in form and not in kind: this part has this attribute with this value. So every
parser of state gives ``Reading``s, with attributes from one catalogue (``catalog/attributes``); rules ask for
attributes by name, and comparing nodes, times and bundles needs no knowledge of any tool.
"""

from __future__ import annotations

from msgspec import Struct

from slowlink.model.source import Ref

Value = str | int | float | bool


class Part(Struct, frozen=True, gc=False, cache_hash=True):
    """What a reading is about. Names are canonical, so that two tools mean the same part by the same name."""

    kind: str
    """``node gpu hca port gid interface pci nvlink nvswitch gpu-pair gpu-nic cpu module package library process test
    fabric-node fabric-port group job``."""
    name: str = ""
    """"" for the node itself; gpu ``0`` (``0000:10:1c.0`` where the tool gives no index); hca ``mlx5_0``; port
    ``mlx5_0/1``; gid ``mlx5_0/1/3``; interface ``ib0``; pci ``0000:10:1c.0``; nvlink ``0/17``; nvswitch its bus id;
    gpu-pair ``0-1``; gpu-nic ``0-mlx5_0``; cpu ``31``; module ``nvidia_peermem``; package ``libnccl2``; library
    ``libnccl.so.2``; process its pid; test ``dcgm/PCIe``; fabric-node ``leaf2``; fabric-port ``leaf2/5`` or
    ``node03 mlx5_0/1``."""

    @property
    def number(self) -> int | str:
        """The end of its name behind the last slash, a number where it is one: 17 of nvlink ``0/17``."""
        last = self.name.rpartition("/")[2]
        return int(last) if last.isascii() and last.isdecimal() and len(last) < 19 else last


class Reading(Struct, frozen=True, gc=False):
    """One attribute of one part, as one line says. What reads N/A, Unknown or [Not Supported] gives no reading."""

    attribute: str
    """Id in ``catalog/attributes``."""
    part: Part
    value: Value
    """In the unit of the attribute; on/off settings are bool."""
    ref: Ref
    host: str | None = None
    """The node; None until something tells it (a prefix, a prompt, the bundle)."""
    at: float | None = None
    """Seconds since the epoch when it was collected; None when nothing tells."""


class Collected(Struct, frozen=True, gc=False):
    """One source of a node's transcript: what a collector asked, and how that ended (``collectors.frames``)."""

    collector: str
    """``nvidia-smi-q``, ``sysfs-infiniband`` ..."""
    outcome: str
    """``ran``, ``skipped`` (not there, not allowed), ``failed`` or ``timeout``."""
    detail: str
    """Why, when it was not ``ran``."""
    ref: Ref
    """Its first line: what follows, up to the next one, is its output."""
    host: str | None = None
    at: float | None = None


class Origin(Struct, frozen=True):
    """Which node wrote a file of a bundle, and when: the manifest's word for every reading in that file."""

    source: str
    """The file's name as inputs name it: ``bundle!captures/state/node01.txt``."""
    node: str | None
    at: float | None
    ref: Ref
