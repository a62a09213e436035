"""What runs on a node while something is measured there: scripts, made ready for ``sh -s``."""

from __future__ import annotations

import re
from pathlib import Path

from msgspec import Struct

_WORD = re.compile(r"[\w.-]{1,120}")
_PATH = re.compile(r"(?:/[\w.-]{1,100}){0,10}")
LONGEST_S = 7200.0
RUN_VARIABLE = "SLOWLINK_RUN"
"""Our ranks carry it in their environment: whoever does not is somebody else."""


class Sampling(Struct, frozen=True):
    """How a node is watched."""

    run: str
    """A word of this run; ranks have it in ``SLOWLINK_RUN``."""
    interval_s: float = 1.0
    counters_every: int = 5
    """Counters are read at every so-many-th sample: they are many, and change slowly."""
    longest_s: float = LONGEST_S
    """The script ends by itself after this long, whatever became of us."""
    root: str = ""
    """Where the host's root is mounted, in a container."""
    ours: tuple[str, ...] = ()
    """Names of processes that belong to the run too, where the variable cannot reach them."""
    launcher: tuple[str, int] | None = None
    """Host name and id of the process that started the run: it reads what the ranks print, and may sit on a node."""


def watch_script(sampling: Sampling) -> str:
    """The whole script. Raises ValueError for a run, root or name that is no plain word: they become shell text."""
    host, pid = sampling.launcher or ("none", 0)
    words = (sampling.run, host, *sampling.ours)
    if not all(map(_WORD.fullmatch, words)) or not _PATH.fullmatch(sampling.root):
        raise ValueError(f"not plain words: {words!r} {sampling.root!r}")
    settings = {
        "INTERVAL": f"{sampling.interval_s:g}",
        "COUNTERS_EVERY": str(sampling.counters_every),
        "RUN": sampling.run,
        "ROOT": sampling.root,
        "LONGEST": f"{sampling.longest_s:g}",
        "STARTED_ON": host,
        "STARTED_BY": str(pid),
        "OURS": _names(sampling.ours),
    }
    return _with(settings, "watch.sh")


def ranks_script(run: str, ours: tuple[str, ...] = (), *, over_s: float = 2.0, root: str = "") -> str:
    """Says what the ranks of ``run``, and processes with the names of ``ours``, do within ``over_s`` seconds. Raises
    ValueError as ``watch_script`` does."""
    if not all(map(_WORD.fullmatch, (run, *ours))) or not _PATH.fullmatch(root):
        raise ValueError(f"not plain words: {run!r} {ours!r} {root!r}")
    return _with({"RUN": run, "OURS": _names(ours), "ROOT": root, "OVER": f"{over_s:g}"}, "ranks.sh")


def _names(ours: tuple[str, ...]) -> str:
    """The kernel keeps 15 characters of a name."""
    return " ".join(name[:15] for name in ours)


def _with(settings: dict[str, str], script: str) -> str:
    head = "".join(f"{name}='{value}'\n" for name, value in settings.items())
    return head + (Path(__file__).parent / script).read_text(encoding="utf-8")
