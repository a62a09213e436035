"""Which leaf switch each node hangs on: from Slurm's topology, from ibnetdiscover(8), or from a list of one's own.

SwitchName=leaf1 Nodes=gpu[01-32]              topology.conf, ``scontrol show topology``
leaf1: gpu[01-32]                              a line a leaf
Switch 40 "S-..." # "leaf1" ... [5] "H-..."[1] # "gpu01 mlx5_0"     ibnetdiscover
"""

from __future__ import annotations

import re

from slowlink.errors import SlowlinkError
from slowlink.nodes import expand

_SLURM = re.compile(r"SwitchName=(?P<leaf>\S{1,200})(?P<rest>.*)")
_OWN = re.compile(r"(?P<leaf>[\w.-]{1,200}):\s*(?P<nodes>\S{1,100000})\s*$")
_SWITCH = re.compile(r'Switch\s+\d{1,4}\s+"[^"]{1,64}"\s*#\s*"(?P<leaf>[^"]{1,200})"')
_HOST = re.compile(r'\[\d{1,4}\]\s+"H-[^"]{1,64}"\S*\s*#\s*"(?P<node>[\w.-]{1,200})')
_MOST_BYTES = 64 << 20


def parse_leaves(text: str, source: str) -> dict[str, str]:
    """Node -> leaf. A node that hangs on several (a rail each) counts to the first that is named.

    Raises SlowlinkError (``no-leaves``) when no line names one.
    """
    found: dict[str, str] = {}
    switch = ""
    for raw in text[:_MOST_BYTES].splitlines():
        line = raw.partition("#")[0].strip() if raw.lstrip().startswith("SwitchName") else raw.strip()
        if slurm := _SLURM.match(line):
            words = dict(word.partition("=")[::2] for word in slurm["rest"].split())
            if words.get("Nodes") and not words.get("Switches") and words.get("Level", "0") == "0":
                _join(found, expand(words["Nodes"]), slurm["leaf"])
        elif header := _SWITCH.match(line):
            switch = header["leaf"]
        elif switch and (host := _HOST.match(line)):
            _join(found, [host["node"]], switch)
        elif own := _OWN.match(line):
            _join(found, expand(own["nodes"]), own["leaf"])
    if not found:
        raise SlowlinkError(
            f"{source} names no leaf with its nodes",
            hint="a line a leaf: leaf1: gpu[01-32]; or Slurm's topology.conf, or the output of ibnetdiscover",
            slug="no-leaves",
        )
    return found


def _join(found: dict[str, str], nodes: list[str], leaf: str) -> None:
    for node in nodes:
        found.setdefault(node, leaf)
