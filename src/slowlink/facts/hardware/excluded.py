"""GPUs that a node cannot have, because what runs on it is older than they are, or counts channels as on others; and
those that nodes with such names do not have.

Which GPU it is, none of these tells (``h200-03`` may hold cards or a board); but it takes the newest ones from those it
may be.

Sources: NVIDIA's release notes of CUDA 12.8, "first version to support Blackwell", and of driver branch 570, which
comes with it; ``src/transport/nvls.cc`` of NCCL 2.27 and later: 16 channels of NVLink SHARP on compute capability 9.0,
24 within a node and 32 between nodes on 10.0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from slowlink.catalog.gpus import all_gpus
from slowlink.model.facts import State
from slowlink.model.nccl import NcclLog
from slowlink.model.records import Records
from slowlink.model.source import Ref
from slowlink.patterns import regex

_OLDEST_FIRST = ("pascal", "volta", "turing", "ampere", "ada", "hopper", "blackwell")
_NEW = _OLDEST_FIRST[-1]
_OF_AMD = ("cdna2", "cdna3", "cdna4")
"""All that excludes anything here is NVIDIA's."""
_FIRST_CUDA = 12_080
_FIRST_DRIVER = 565
_NVIDIA_DRIVER = regex(r"(?P<branch>\d{3})\.\d{2,3}(?:\.\d{2,3})?")
_FIRST_APART = (2, 27)
"""The first release of NCCL that gives each architecture channels of its own."""
_OF_HOPPER = 16
_NAMED = regex(r"(?:.*[^A-Za-z0-9])?(?P<gpu>[VvAaHhBb][1238]00)(?:nvl|sxm\d?|pcie)?(?:[^A-Za-z0-9].*)?")
_CLAMPS = ("_NCHANNELS", "_CTAS")
"""Settings that end so change the number."""


def excluded(records: Records, state: State | None, hosts: Iterable[str]) -> tuple[frozenset[str], str]:
    """Architectures that are not here, and why: "" where nothing excludes one."""
    newest, named = _by_names(hosts)
    if newest:
        return frozenset((*_OLDEST_FIRST[_OLDEST_FIRST.index(newest) + 1 :], *_OF_AMD)), named
    for why, ref in (*_by_driver(state), *(found for log in records.logs for found in _by_log(log))):
        return frozenset((_NEW, *_OF_AMD)), f"no Blackwell: {why} ({ref.source}:{ref.line})"
    return frozenset(), ""


def _by_names(hosts: Iterable[str]) -> tuple[str, str]:
    """The architecture of the GPU that the names of all hosts share, and these words; "" where they do not."""
    names = sorted(set(hosts))
    found = [_NAMED.fullmatch(name[:200]) for name in names]
    models = {match["gpu"].upper() if match is not None else "" for match in found}
    model = models.pop() if len(models) == 1 else ""
    gpu = all_gpus().get(f"{model.lower()}-sxm") or all_gpus().get(model.lower())
    if gpu is None or gpu.architecture not in _OLDEST_FIRST:
        return "", ""
    return gpu.architecture, f"nothing newer than {model}: the names of all hosts say so ({names[0]})"


def _by_driver(state: State | None) -> Iterator[tuple[str, Ref]]:
    """All nodes have older drivers: one that has not may have other GPUs."""
    readings = state.readings.get("driver-version") if state is not None else None
    found = [(_NVIDIA_DRIVER.fullmatch(str(r.value)), r) for r in readings.all] if readings is not None else []
    if found and all(match is not None and int(match["branch"]) < _FIRST_DRIVER for match, _ in found):
        yield f"driver {found[0][1].value} is older", found[0][1].ref


def _by_log(log: NcclLog) -> Iterator[tuple[str, Ref]]:
    versions = [each for each in log.components if each.component == "cuda-driver" and each.version.isdecimal()]
    if versions and all(int(each.version[:9]) < _FIRST_CUDA for each in versions):
        yield f"a driver for CUDA {versions[0].version} is older", versions[0].ref
    releases = [tuple(map(int, each.version.split(".")[:2])) for each in log.versions if each.library == "NCCL"]
    clamped = any(setting.name.endswith(_CLAMPS) for setting in log.env)
    tell = releases and min(releases) >= _FIRST_APART and not clamped
    if tell and log.channel_counts and all(each.nvls == _OF_HOPPER for each in log.channel_counts):
        yield f"{_OF_HOPPER} channels of NVLink SHARP are what Hopper has", log.channel_counts[0].ref
