"""Health checks of a node fail, or all of them pass.

``dcgmi diag``, ``dcgmi health``, Node Health Check and the checks of providers test GPUs, links and set-up. The cause
of a failing test follows from DCGM's number of the error, from the words of the message, or from the name of the test;
where none of these is known, the test is reported in its own words.

Why it matters: schedulers take a node out for this; a job that runs there all the same is slow or fails.
How to confirm: run the test again alone on the drained node: ``dcgmi diag -r 2``, ``nhc``. It loads the GPUs.
What to do: see the remedy of the cause; a test that fails twice on the idle node is a case for the vendor.
When it is wrong: a diagnostic that runs beside a job fails for lack of bandwidth; the reason of a drained node may be
older than its repair. A "warning" is the tool's word for acceptable and gives no finding, except with ``dcgmi health``
and where a node is called good beside numbers that are not. A result in a word that nobody here knows is shown, and
leaves the health of its part open.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

from slowlink.catalog.health_tests import UNKNOWN, cause_of
from slowlink.facts.readings import PartOfNode, by_attribute, latest, node_of
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Evidence, Finding, Severity, Suspect
from slowlink.model.state import Part, Reading
from slowlink.parsers.complaints.said import read_complaint
from slowlink.parsers.host.verdict_tables import DOUBTED
from slowlink.patterns import regex
from slowlink.rules.evidence.findings import Proof, Step, finding, line_evidence, suspects
from slowlink.rules.evidence.links_to_docs import DCGM_DIAGNOSTICS
from slowlink.rules.evidence.messages import counted, listed
from slowlink.rules.evidence.node_readings import node_suspects, on_nodes
from slowlink.rules.node.told_remedies import ASKS, ask, mends

CAUSES = (
    "gpu-persistence-off",
    "gpu-missing",
    "fabric-manager-down",
    "imex-channel-missing",
    "nvswitch-error",
    "nvlink-down",
    "gpu-hardware-fault",
    "gpu-memory-errors",
    "pcie-link-degraded",
    "gpu-clocks-throttled",
    "link-flapping",
    "port-down",
    "link-bandwidth-low",
    "pfc-ecn-settings",
    "busbw-below-expected",
    "nvlink-fabric-unhealthy",
    "gpu-driver-hung",
    "straggler-gpu",
    "version-mismatch",
    "wrong-results",
    "gpu-busy",
    "memlock-limit",
    "shm-too-small",
    "rdma-device-not-accessible",
    "hca-missing",
    "gid-index-wrong",
    "subnet-manager-missing",
    "peer-memory-missing",
    "gdr-disabled",
    "cpu-governor-not-performance",
    "numa-balancing-on",
    "acs-enabled",
    "iommu-translating",
    "file-descriptor-limit",
    "host-memory-errors",
    "pcie-errors",
    "link-errors",
    "port-rate-low",
    "partition-mismatch",
    "switch-hardware-fault",
    UNKNOWN,
)
DENIES = ()

_TOOLS = {
    "dcgm": "dcgmi diag",
    "dcgm-health": "dcgmi health",
    "nhc": "NHC",
    "health": "the health check",
    "checks": "the node's check",
    "rows": "the node's check",
    "copies": "the test of copies",
    "gpu-burn": "gpu-burn",
    "memtest": "cuda_memtest",
    "samples": "CUDA's samples",
    "gdrcopy": "gdrcopy_sanity",
    "rvs": "rvs",
    "superbench": "SuperBench's diagnosis",
    "site": "the site's own check",
    "list": "the site's own check",
}
_RUN_AGAIN = {"dcgm": "dcgmi diag -r 2", "dcgm-health": "dcgmi diag -r 2", "nhc": "nhc"}
_WHOLE = frozenset({"overall", "final result", "all checks", "node smoke test"})
"""Results of a run as a whole: they repeat what its tests say."""
_NOT_KNOWN = "unknown"
"""A result whose word is not among those that its tool was known to have."""
_WATCHED = "dcgm-health/"
"""DCGM watches these while jobs run: its warning is reported whatever it means, a test's where its cause is known."""
_CRITICAL = frozenset({"fabric-manager-down"})
"""Causes that stop every job of the node; the others are an error."""
_NAMED = regex(r"(?i)\bgpu (?:id )?(?P<gpu>\d{1,3})\b|(?<![\w.])(?P<hca>(?:mlx5|bnxt_re|ionic|irdma)_\w{0,8}\d)\b")
_MOST_WORDS = 160
"""Characters of the tool's own message that are quoted."""
_LIGHT = frozenset({"copies", "gdrcopy", "rows", "list"})
"""Tests of what is copied, not of how well, rows that nothing calls a check of a node, and lists of nodes that name no
GPU, link or NIC, or have a node without a verdict: they prove no health."""
_OF_SOFTWARE = regex(
    r"dcgm/(?:Denylist|Blacklist|NVML Library|CUDA (?:Main|Toolkit|Runtime) Librar(?:y|ies)|Permissions and OS\W.*"
    r"|Persistence Mode|Environment(?:al)? Variables|Graphics Processes|software)"
)
"""Tests of DCGM that ask whether programs can use a GPU, and nothing of the GPU itself."""
_OF_RECORDS = regex(r"dcgm/(?:Page Retirement\W?.*|Inforom)")
"""Tests of DCGM that read what a GPU has on record, and put no load on it."""
_MOST_SKIPPED = 4
"""Skipped tests that are named."""
_ENOUGH_ROWS = 4
"""So many rows of a script that nobody knows (a check of it may be as little as a file that is there) say something."""


def check(
    tests: Annotated[Readings, Of("health-test", "health-test-detail", "health-test-gpus", "health-test-error")],
) -> Iterator[Finding | Proof]:
    """One finding for each cause with all nodes and tests that show it; a proof when nothing failed."""
    results = latest(by_attribute(tests, "health-test"))
    failed = [r for r in results.values() if r.value == "fail"]
    single = [r for r in failed if _name(r) not in _WHOLE]
    told = {node_of(r) for r in single}
    whole = [r for r in failed if _name(r) in _WHOLE and node_of(r) not in told]
    details, gpus, errors = (
        latest(by_attribute(tests, name)) for name in ("health-test-detail", "health-test-gpus", "health-test-error")
    )
    unknown = [r for r in results.values() if r.value == _NOT_KNOWN]
    if unknown:
        yield _not_known(unknown, details, gpus)
    warned = [r for r in results.values() if r.value == "warn" and _name(r) not in _WHOLE]
    by_cause: dict[tuple[str, bool], list[Reading]] = {}
    for reading in (*single, *whole, *warned):
        key = node_of(reading), reading.part
        number = errors[key].value if key in errors else None
        words = str(details[key].value) if key in details else ""
        meant = _meant(_name(reading), words, number if isinstance(number, int) else None)
        if reading.value == "fail" or meant[0] != UNKNOWN or _tells(reading):
            by_cause.setdefault(meant, []).append(reading)
    for (cause, sure), found in by_cause.items():
        yield _finding(cause, sure, found, details, gpus)
    passed = [r for r in results.values() if r.value == "pass"]
    if passed and not failed and not unknown:
        warnings, skipped = ([r for r in results.values() if r.value == value] for value in ("warn", "skip"))
        yield _proof(passed, warnings, skipped)


def _meant(name: str, words: str, number: int | None) -> tuple[str, bool]:
    """By the catalogue of tests; where that knows nothing, by what the words complain of."""
    meant = cause_of(name, words, number)
    if meant[0] != UNKNOWN:
        return meant
    told = (read_complaint(words) if words else None) or read_complaint(f"fail: {name.replace('_', ' ')}: {words}")
    return (told.cause if told is not None and told.cause in CAUSES else UNKNOWN), False


def _tells(warning: Reading) -> bool:
    """Is this warning reported whatever it means?"""
    return warning.part.name.startswith(_WATCHED) or _name(warning).startswith(DOUBTED)


def _name(reading: Reading) -> str:
    return reading.part.name.partition("/")[2]


def _tool(reading: Reading) -> str:
    return _TOOLS.get(reading.part.name.partition("/")[0], "the health check")


def _finding(
    cause: str,
    sure: bool,
    found: Sequence[Reading],
    details: Mapping[PartOfNode, Reading],
    gpus: Mapping[PartOfNode, Reading],
) -> Finding:
    first = found[0]
    key = node_of(first), first.part
    words = f": {str(details[key].value)[:_MOST_WORDS]}" if key in details else ""
    on_gpus = f" on GPU {gpus[key].value}" if key in gpus else ""
    others = len({reading.part for reading in found}) - 1
    more = f" (and {others} other test{'s' if others > 1 else ''})" if others else ""
    failed = [reading for reading in found if reading.value == "fail"]
    severity: Severity = "critical" if cause in _CRITICAL else "error"
    vague = _is_bare(first) and (cause == UNKNOWN or not words)
    return finding(
        cause,
        f"{on_nodes(found)}{_tool(first)}: {_name(first)} "
        f"{'fails' if failed else 'has a warning'}{on_gpus}{more}{words}",
        severity=severity if failed else "warning",
        confidence="possible" if vague or not failed else "certain" if sure else "likely",
        evidence=tuple(_evidence(reading) for reading in found[:4]),
        suspects=(*_gpu_suspects(found, gpus), *_named(found, details), *node_suspects(found)),
        explains=("tool-failed", *(() if cause in (UNKNOWN, "busbw-below-expected") else ("busbw-below-expected",))),
        remedy=_remedy(cause, first),
        references=[DCGM_DIAGNOSTICS] if first.part.name.startswith("dcgm") else [],
    )


def _not_known(
    found: Sequence[Reading], details: Mapping[PartOfNode, Reading], gpus: Mapping[PartOfNode, Reading]
) -> Finding:
    """What is not understood has not passed: the part that was tested may be well or not."""
    first = found[0]
    key = node_of(first), first.part
    word = f"'{str(details[key].value)[:_MOST_WORDS]}', a" if key in details else "a"
    others = len({reading.part for reading in found}) - 1
    more = f" (and {others} other test{'s' if others > 1 else ''})" if others else ""
    on_gpus = f" on GPU {gpus[key].value}" if key in gpus else ""
    return finding(
        UNKNOWN,
        f"{on_nodes(found)}{_tool(first)}: {_name(first)}{on_gpus}{more} ends with {word} result that slowlink does "
        "not know: neither passed nor failed",
        severity="warning",
        confidence="possible",
        evidence=tuple(_evidence(reading) for reading in found[:4]),
        suspects=(*_gpu_suspects(found, gpus), *node_suspects(found)),
        remedy=[Step("See what the tool's own manual says of this word, then run the test again.", "")],
        references=[DCGM_DIAGNOSTICS] if first.part.name.startswith("dcgm") else [],
    )


def _remedy(cause: str, first: Reading) -> list[Step]:
    """What mends the cause, or shows its part; then the test again, for whoever mended it and for who doubts it."""
    steps = mends(cause) or ((ask(cause, "Ask the part itself."),) if cause in ASKS else ())
    again = "Then run the test again" if steps else "Run the test again"
    command = _RUN_AGAIN.get(first.part.name.partition("/")[0], "")
    return [*steps, Step(f"{again} on the drained node, with nothing else on it.", command)]


def _is_bare(reading: Reading) -> bool:
    """A row of which nothing says that it checks a node: lists of anything have ticks."""
    return reading.part.name.startswith("rows/")


def _evidence(reading: Reading) -> Evidence:
    return line_evidence(reading.ref, observed=f"{_name(reading)}: {reading.value}", expected="pass")


def _gpu_suspects(found: Sequence[Reading], gpus: Mapping[PartOfNode, Reading]) -> tuple[Suspect, ...]:
    names: list[str] = []
    for reading in found:
        listed = gpus.get((node_of(reading), Part("test", reading.part.name)))
        node = on_nodes([reading]).rstrip(": ")
        names += [f"{node} {gpu}".strip() for gpu in str(listed.value).split(",")] if listed is not None else []
    return suspects("gpu", names[:64])


def _named(found: Sequence[Reading], details: Mapping[PartOfNode, Reading]) -> tuple[Suspect, ...]:
    """GPUs and HCAs that a failing test and its words name."""
    names: list[Suspect] = []
    for reading in found:
        said = details.get((node_of(reading), reading.part))
        node = on_nodes([reading]).rstrip(": ")
        words = str(said.value)[:_MOST_WORDS] if said is not None else ""
        for match in _NAMED.finditer(f"{_name(reading)}: {words}"):
            kind = "gpu" if match["gpu"] else "hca"
            names.append(Suspect(kind, f"{node} {match['gpu'] or match['hca']}".strip()))
    return tuple(dict.fromkeys(names))[:64]


def _proof(passed: Sequence[Reading], warned: Sequence[Reading], skipped: Sequence[Reading]) -> Proof:
    tools = ", ".join(dict.fromkeys(map(_tool, passed)))
    if tools == _TOOLS["site"]:  # one of both
        return _proof_of_site(passed, warned)
    verb = "passes" if len(passed) == 1 else "pass"
    beside = f", {len(warned)} with a warning" if warned else ""
    names = list(dict.fromkeys(map(_name, skipped)))
    beside += f", {len(names)} skipped: {listed(names, _MOST_SKIPPED)}" if names else ""
    untested = bool(names) and all(_OF_SOFTWARE.match(r.part.name) or _OF_RECORDS.match(r.part.name) for r in passed)
    beside += "; nothing of the hardware was tested" if untested else ""
    return Proof(
        f"{on_nodes(passed)}{counted(len(passed), 'test')} of {tools} {verb}{beside}",
        (*map(_evidence, passed[:3]), *map(_evidence, skipped[:_MOST_SKIPPED] if untested else ())),
        weight=0 if untested else _weight(passed),
    )


def _weight(passed: Sequence[Reading]) -> int:
    """0 for tests that say nothing of how well a node works."""
    hard = [reading for reading in passed if _OF_SOFTWARE.match(reading.part.name) is None]
    tools = {reading.part.name.partition("/")[0] for reading in hard}
    return int(not tools <= _LIGHT and (not tools <= {"checks", "rows"} or len(hard) >= _ENOUGH_ROWS))


def _proof_of_site(passed: Sequence[Reading], warned: Sequence[Reading]) -> Proof:
    """Each row of its table is a verdict on a node."""
    nodes = len({node_of(reading) for reading in passed})
    beside = f", {len(warned)} with a warning" if warned else ""
    words = f"{counted(nodes, 'node passes', 'nodes pass')} the site's own check{beside}"
    return Proof(f"{on_nodes(passed)}{words}", tuple(map(_evidence, passed[:3])), weight=_weight(passed))
