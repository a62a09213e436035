"""What the user says about the hardware, checked against the catalogue."""

from __future__ import annotations

import re

from msgspec.structs import replace

from slowlink.catalog.gpus import all_gpus, find_gpu
from slowlink.catalog.systems import all_systems, describe_nics, find_system, near_systems
from slowlink.errors import SlowlinkError
from slowlink.model.facts import Hardware, NicGroup
from slowlink.patterns import regex

_NICS = regex(r"([0-9]{1,3})\s*x\s*([0-9]{1,4}(?:\.[0-9]{1,3})?)\s*(?:g(?:b(?:it)?(?:\/s|ps)?)?)?", re.IGNORECASE)
_LAYERS = {
    "ib": "IB",
    "infiniband": "IB",
    "roce": "RoCE",
    "ethernet": "RoCE",
    "efa": "EFA",
    "slingshot": "Slingshot",
    "tcpx": "TCPX",
}


def given_hardware(
    system: str | None = None,
    gpu: str | None = None,
    gpus_per_node: int | None = None,
    nics: str | None = None,
    link: str | None = None,
    nodes: int | None = None,
) -> Hardware | None:
    """The hardware that options name: a system, with parts of it replaced by what else is given.

    ``nodes``: how many such nodes the job has.

    None when nothing is given. Raises SlowlinkError (slugs ``unknown-system``, ``unknown-gpu``, ``bad-nics``,
    ``unknown-link``) with the nearest known names.
    """
    if system is None and gpu is None and gpus_per_node is None and nics is None and nodes is None:
        return None
    found = Hardware(None, None, None, (), "", True) if system is None else _system(system)
    said = [] if system is None else [found.basis]
    if gpu is not None:
        found = replace(found, gpu=_gpu(gpu))
        said.append(f"GPU {found.gpu} given")
    if gpus_per_node is not None:
        # A job on part of a node uses part of its NICs: the board keeps its size.
        board = found.gpus_per_node or 0
        found = replace(found, gpus_per_node=max(gpus_per_node, board))
        said.append(f"{gpus_per_node} GPUs per node given")
    layer = None if link is None else _layer(link)
    if nics is not None:
        groups = parse_nics(nics, layer)
        found = replace(found, nics=groups)
        said.append("NICs given: " + " + ".join(describe_nics(group) for group in groups))
    elif layer is not None:
        found = replace(found, nics=tuple(replace(group, link_layer=layer) for group in found.nics))
    return replace(found, basis="; ".join(said), nodes=nodes)


def hardware(
    system: str | None = None,
    *,
    gpu: str | None = None,
    gpus_per_node: int | None = None,
    nics: str | None = None,
    nodes: int | None = None,
) -> Hardware:
    """What one node is made of: a system of the catalogue (``hgx_h100``), or its parts, or both.

    ``gpu``: ``h100-sxm``; ``nics``: count x Gb/s of one node's ports (``8x400``, ``4x100+1x200``); ``nodes``: how many
    such nodes the job has. Raises SlowlinkError (``unknown-system``, ``unknown-gpu``, ``bad-nics``) with the nearest
    known names, and ValueError where nothing is given.
    """
    given = given_hardware(system, gpu, gpus_per_node, nics, None, nodes)
    if given is None:
        raise ValueError("hardware: give a system, a GPU, GPUs of a node, NICs or nodes")
    return given


def parse_nics(text: str, link_layer: str | None = None) -> tuple[NicGroup, ...]:
    """``8x400``, ``2x100+1x200``: count x Gb/s for each port of one node. Raises SlowlinkError."""
    groups = []
    for part in re.split(r"[+,]", text):
        match = _NICS.fullmatch(part.strip())
        if match is None or int(match.group(1)) == 0 or float(match.group(2)) == 0:
            raise SlowlinkError(
                f"cannot read the NICs {text!r}",
                hint="write count x Gb/s for one node, for instance 8x400 or 4x100+1x200",
                slug="bad-nics",
            )
        groups.append(NicGroup(int(match.group(1)), float(match.group(2)), link_layer))
    return tuple(groups)


def _system(name: str) -> Hardware:
    system = find_system(name)
    if system is None:
        near = near_systems(name)
        hint = f"nearest: {', '.join(near)}" if near else f"known: {', '.join(all_systems())}"
        raise SlowlinkError(
            f"unknown system {name!r}",
            hint=f"{hint}; slowlink expect --list-systems prints all of them",
            slug="unknown-system",
        )
    return system.hardware(given=True)


def _gpu(name: str) -> str:
    gpu = find_gpu(name)
    if gpu is None:
        near = _near(name, tuple(all_gpus()))
        hint = f"nearest: {', '.join(near)}" if near else f"known: {', '.join(all_gpus())}"
        raise SlowlinkError(f"unknown GPU {name!r}", hint=hint, slug="unknown-gpu")
    return gpu.id


def _near(name: str, known: tuple[str, ...]) -> list[str]:
    """Those that begin so, or are spelled much like it."""
    from difflib import get_close_matches

    spelled = re.sub(r"[\s_-]+", "-", name.strip().lower())
    begun = [each for each in known if spelled and each.startswith(spelled)]
    return begun or get_close_matches(spelled, known, n=4, cutoff=0.75)


def _layer(text: str) -> str:
    layer = _LAYERS.get(text.strip().lower())
    if layer is None:
        raise SlowlinkError(f"unknown link layer {text!r}", hint=f"one of {', '.join(_LAYERS)}", slug="unknown-link")
    return layer
