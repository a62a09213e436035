"""Simulated nodes on disk, asked by the product's own collectors: a root with kernel files, and tools that answer."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from slowlink.simulate.node_state.description import SimulatedNode
from slowlink.simulate.node_state.tools import write_answers, write_programs, write_root

GOOD = SimulatedNode("gpu01", 0xABCD, gpus=8, cpus=16)


def on_disk(node: SimulatedNode, folder: Path) -> tuple[str, str]:
    """(root, PATH): what ``--root`` and the environment need, to ask this node."""
    write_root(node, folder / "root")
    write_answers(node, folder / "answers")
    write_programs(folder / "bin", str(folder / "answers"))
    return str(folder / "root"), f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"


def slowlink_there(root: str, path: str) -> str:
    """A shell script that is slowlink on such a node, and has all time: other tests run beside it."""
    python = f"PATH={path} PYTHONPATH={os.pathsep.join(sys.path)} exec {sys.executable}"
    limit = 'case $1 in node-check) set -- "$@" --limit 100 ;; esac'
    return f'#!/bin/sh\n{limit}\n{python} -m slowlink "$@" --root {root}\n'
