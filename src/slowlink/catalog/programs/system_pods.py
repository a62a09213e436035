"""Pods that serve a Kubernetes cluster and belong to no job, from ``system_pods.toml``."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from functools import cache

from slowlink.catalog.load import table

_NAMES = ("pod", "container")


def is_system_pod(groups: Mapping[str, str]) -> bool:
    """By what a message tells of a pod: its namespace, its name, that of its container or of its image."""
    namespaces, names = _known()
    image = groups.get("image", "").partition("@")[0].rpartition("/")[2].partition(":")[0]
    called = (*(groups.get(each, "") for each in _NAMES), image)
    return _fits(groups.get("namespace", ""), namespaces) or any(_fits(name, names) for name in called)


def _fits(name: str, patterns: tuple[str, ...]) -> bool:
    return bool(name) and any(fnmatchcase(name, pattern) for pattern in patterns)


@cache
def _known() -> tuple[tuple[str, ...], tuple[str, ...]]:
    entries = table("programs/system_pods.toml").values()
    return (
        tuple(name for entry in entries for name in entry["namespaces"]),
        tuple(name for entry in entries for name in entry["names"]),
    )
