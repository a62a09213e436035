"""Which launcher: the one asked for, or the first that these surroundings offer, with the reason."""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib import import_module

from msgspec import Struct

import slowlink.launch
from slowlink.errors import SlowlinkError
from slowlink.launch.interface import Launcher, Surroundings
from slowlink.model.plan import Detection


class Choice(Struct, frozen=True):
    """A launcher and why it was taken."""

    launcher: Launcher
    reason: str


@cache
def launchers() -> Mapping[str, Launcher]:
    """Every launcher by name: each module of this package with a ``LAUNCHER``."""
    found: dict[str, Launcher] = {}
    for module in pkgutil.iter_modules(slowlink.launch.__path__):
        launcher = getattr(import_module(f"slowlink.launch.{module.name}"), "LAUNCHER", None)
        if launcher is not None:
            found[launcher.name] = launcher
    return found


def choose(here: Surroundings, *, asked: str | None = None, nodes_given: bool = False) -> Choice:
    """The launcher that is asked for (``--on``), or: a Slurm allocation, a pod of a cluster, given nodes, this machine.

    Raises SlowlinkError: ``unknown-launcher``, and ``launcher-unusable`` with the reason when it cannot be used here.
    """
    known = launchers()
    if asked is not None:
        return _asked(known, here, asked)
    detections = {name: launcher.detect(here) for name, launcher in known.items()}
    if "SLURM_JOB_ID" in here.environment and "srun" in here.programs and not detections["slurm"].usable:
        # An allocation that is over must not turn into a run on the login node.
        raise _unusable(detections["slurm"])
    for name, wanted in _order(here, nodes_given):
        detection = detections[name]
        if wanted and detection.usable:
            return Choice(known[name], detection.reason)
    if nodes_given and not detections["ssh"].usable:
        raise _unusable(detections["ssh"])
    raise _unusable(detections["local"])


def _order(here: Surroundings, nodes_given: bool) -> tuple[tuple[str, bool], ...]:
    return (
        ("slurm", "SLURM_JOB_ID" in here.environment),
        ("kubernetes", "KUBERNETES_SERVICE_HOST" in here.environment and not nodes_given),
        ("ssh", nodes_given),
        # Nodes that were named are never replaced by this machine without a word.
        ("local", not nodes_given),
    )


def _asked(known: Mapping[str, Launcher], here: Surroundings, asked: str) -> Choice:
    launcher = known.get(asked)
    if launcher is None:
        raise SlowlinkError(
            f"there is no launcher {asked!r}", hint=f"one of {', '.join(sorted(known))}", slug="unknown-launcher"
        )
    detection = launcher.detect(here)
    if not detection.usable:
        raise _unusable(detection)
    return Choice(launcher, f"asked for; {detection.reason}")


def _unusable(detection: Detection) -> SlowlinkError:
    tries = {
        "local": "pip install 'slowlink[mpi]' brings an mpirun",
        "ssh": "ranks on other nodes need ssh and an mpirun here",
        "slurm": "salloc -N 4, then again; or --on ssh --nodes node[01-04]",
        "kubernetes": "install kubectl and choose a context; or --on ssh",
    }
    return SlowlinkError(
        f"cannot start ranks by {detection.launcher}: {detection.reason}",
        hint=tries.get(detection.launcher, "slowlink run --on local"),
        slug="launcher-unusable",
    )
