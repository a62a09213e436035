"""Settings that nobody chose: those of plug-ins and platforms, from ``settings.toml``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from msgspec import Struct

from slowlink.catalog.load import table

TOPOLOGY_FILES = ("NCCL_TOPO_FILE", "NCCL_GRAPH_FILE", "MCCL_TOPO_FILE")


class PlatformFile(Struct, frozen=True):
    """A file about the topology that comes with a platform."""

    by: str
    path: re.Pattern[str]
    gpus: tuple[str, ...]
    """First letters of the catalogue ids of the GPUs that it describes; empty where it fits any."""

    def fits(self, gpu: str | None) -> bool:
        """Is it for machines with this GPU? An unknown GPU accuses no file."""
        return gpu is None or not self.gpus or gpu.startswith(self.gpus)


def made_by(name: str, value: str, networks: Iterable[str]) -> str:
    """Who makes this setting where NCCL uses these networks; "" for one that somebody chose."""
    if name in TOPOLOGY_FILES:
        file = platform_file(value)
        return file.by if file is not None else ""
    used = tuple(networks)
    for entry in table("platforms/settings.toml")["settings"]:
        if value.strip() in entry["values"].get(name, ()) and any(n.startswith(tuple(entry["networks"])) for n in used):
            return str(entry["by"])
    return ""


def platform_file(path: str) -> PlatformFile | None:
    """The entry of this file; None for a file that no platform is known to bring."""
    return next((file for file in _files() if file.path.fullmatch(path.strip())), None)


@cache
def _files() -> tuple[PlatformFile, ...]:
    return tuple(
        PlatformFile(entry["by"], re.compile(entry["path"]), tuple(entry.get("gpus", ())))
        for entry in table("platforms/settings.toml")["files"]
    )
