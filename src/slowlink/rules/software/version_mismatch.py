"""Nodes run different versions of NCCL, or library and driver do not fit.

NCCL's ranks must run one version: their start-up messages differ from release to release. CUDA needs a driver that is
new enough, and the driver's library must be that of the loaded kernel module.

Why it matters: start-up fails with errors that name sockets ("Message truncated", "address family"), or hangs.
How to confirm: ``NCCL_DEBUG=VERSION`` on every node; compare ``nvidia-smi`` with ``cat /proc/driver/nvidia/version``.
What to do: one image or one module path for all nodes; after a driver update reload the module or reboot.
When it is wrong: where nvidia-smi answers below the error, only that call had another library (a container without the
host's). A log that holds runs of several jobs may show several versions, so versions that differ from host to
host are only a warning.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from slowlink.facts.readings import name_of_node
from slowlink.model.facts import Events, Of, Readings, Versions, Warnings
from slowlink.model.nccl import LibraryVersion
from slowlink.model.report import Confidence, Finding
from slowlink.rules.evidence.cuda_errors import cuda_errors
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import NCCL_TROUBLESHOOTING
from slowlink.rules.evidence.messages import (
    FAILED_RUN,
    LogMessage,
    at_hosts,
    groups_of,
    host_of,
    hosts_of,
    listed,
    refs_of,
    reported,
)

CAUSES = ("version-mismatch",)

_WORDS = {
    "version-mismatch": "ranks run different NCCL versions",
    "bootstrap-message-truncated": "a start-up message has not the expected size, as between NCCL versions",
    "driver-too-old": "the driver is too old for this NCCL",
    "cuda-driver-too-old": "the driver is too old for this CUDA",
    "nvml-version-mismatch": "the driver's library is not that of the loaded kernel module",
}
_NVML = "nvml-version-mismatch"
_REMEDY = [("See the version on every node.", "NCCL_DEBUG=VERSION mpirun ... 2>&1 | grep 'NCCL version'")]
_HALVES = ("See the driver's two halves.", "nvidia-smi; cat /proc/driver/nvidia/version")
_REMEDIES = {
    _NVML: [
        _HALVES,
        ("After an update of the driver: reload its modules, or restart the node.", ""),
        (
            "In a container: take the host's library (--gpus all, --nv), not one of the image.",
            "ldconfig -p | grep nvidia-ml",
        ),
    ],
    "driver-too-old": [_HALVES, ("Update the driver, or take an older NCCL.", "")],
    "cuda-driver-too-old": [_HALVES, ("Update the driver, or take an image with an older CUDA.", "")],
}
_UNFIT_TITLE = "Driver and library do not fit"
_UNFIT = ("driver version is insufficient", "no kernel image is available")
_CERTAIN = frozenset(_WORDS) - {"bootstrap-message-truncated"}
"""A truncated message has other causes, too."""


_BY_LIBRARY = ("cuda-version", "gpu-persistence", "gpu-utilisation", "gpu-temperature", "gpu-power")
"""What only the driver's library tells: the name of a GPU and the driver's version are in files of the kernel, too."""


def check(
    warnings: Warnings | None,
    events: Events | None,
    versions: Versions | None,
    gpus: Annotated[Readings, Of(*_BY_LIBRARY)] | None,
) -> Iterator[Finding]:
    """What the libraries say themselves, and versions that differ by host."""
    for name, words in _WORDS.items():
        found = reported(warnings, events, name)
        if found and name == _NVML and all(_answered_later(message, gpus) for message in found):
            yield _overcome(found)
        elif found:
            groups = found[0].groups
            which = " and ".join(
                _dotted(groups[key]) for key in ("version_a", "version_b", "found", "minimum") if key in groups
            )
            what = f"{words} ({which})" if which else words
            title = _UNFIT_TITLE if name in _REMEDIES else ""
            yield _finding(found, what, "certain" if name in _CERTAIN else "likely", _REMEDIES.get(name), title)
    unfit = cuda_errors(warnings, events, *_UNFIT)
    if unfit:
        yield _finding(
            unfit, f"CUDA reports: {next(iter(groups_of(unfit, 'error')), _UNFIT[0])}", "likely", title=_UNFIT_TITLE
        )
    yield from _by_host(versions)


def _answered_later(message: LogMessage, gpus: Readings | None) -> bool:
    """Did the driver's library answer below this one line, in the same source and on the same node?"""
    return message.count == 1 and any(
        reading.ref.source == message.ref.source
        and reading.ref.line > message.ref.line
        and name_of_node(reading) == host_of(message)
        for reading in (gpus.all if gpus is not None else ())
    )


def _overcome(found: Sequence[LogMessage]) -> Finding:
    """The driver is sound: the first call had another library, as in a container without the host's."""
    return finding(
        "version-mismatch",
        f"{at_hosts(hosts_of(found))}{_WORDS[_NVML]} in one call; the driver answered afterwards",
        severity="info",
        confidence="possible",
        evidence=lines_evidence(refs_of(found)),
        suspects=suspects("node", hosts_of(found)),
        remedy=_REMEDIES[_NVML][2:],
        title=_UNFIT_TITLE,
    )


def _finding(
    found: Sequence[LogMessage],
    what: str,
    confidence: Confidence,
    remedy: Sequence[tuple[str, str]] | None = None,
    title: str = "",
) -> Finding:
    return finding(
        "version-mismatch",
        f"{at_hosts(hosts_of(found))}{what}",
        severity="critical",
        confidence=confidence,
        evidence=lines_evidence(refs_of(found)),
        suspects=suspects("node", hosts_of(found)),
        explains=("tool-failed", "tcp-unreachable", "collective-mismatch", *FAILED_RUN),
        remedy=remedy or [*_REMEDY, _HALVES],
        title=title,
        references=[NCCL_TROUBLESHOOTING],
    )


def _dotted(version: str) -> str:
    """``22602`` as NCCL numbers its releases (2.26.2); anything else as it stands."""
    code = int(version) if version.isascii() and version.isdecimal() and len(version) == 5 else 0
    return f"{code // 10000}.{code // 100 % 100}.{code % 100}" if 20000 <= code < 30000 else version


def _by_host(versions: Versions | None) -> Iterator[Finding]:
    """Hosts of one source that each keep to one version, and not to the same."""
    by_source: dict[tuple[str, str], dict[str, list[LibraryVersion]]] = {}
    for version in versions.libraries if versions is not None else ():
        if version.process.host is not None:
            hosts = by_source.setdefault((version.ref.source, version.library), {})
            hosts.setdefault(version.process.host, []).append(version)
    for (_, library), hosts in by_source.items():
        each = {host: {v.version for v in found} for host, found in hosts.items()}
        distinct = sorted({next(iter(found)) for found in each.values()})
        if any(len(found) > 1 for found in each.values()) or len(distinct) < 2:
            continue  # a host with two versions ran two jobs, or two images
        yield finding(
            "version-mismatch",
            f"nodes run different {library} versions: "
            + listed([f"{next(iter(each[host]))} on {host}" for host in sorted(each, key=lambda h: sorted(each[h]))]),
            severity="warning",
            confidence="likely",
            evidence=lines_evidence((found[0].ref for found in hosts.values()), 4),
            suspects=suspects("node", hosts),
            explains=("collective-mismatch",),
            remedy=_REMEDY,
            references=[NCCL_TROUBLESHOOTING],
        )
