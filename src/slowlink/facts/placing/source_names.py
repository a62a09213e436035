"""Files that are named after the node whose output they hold: ``node07.log``, ``dmesg-gpu012.txt``, ``node07/dmesg``.

A name is believed when another record names a host like it, or when it looks like a host's and nothing else stands in
the file's name but the tool and a date. ``run2.log`` and ``rank7.txt`` name no host.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache

from slowlink.patterns import regex

_DEEPEST = 6
"""Parts of a path that are looked at, from the end."""
_LIKE_A_HOST = regex(
    r"(?<![a-z0-9])((?:node|host|dgx|hgx|compute|cn|nid|gpu-?node|gpu-?server|computenode)[-_]?[a-z]{0,3}\d{1,6}"
    r"|gpu[-_]?[a-z]?\d{2,6})(?:[-_]\d{1,3})?(?![a-z0-9])",
)
_TOOL = regex(
    r"dmesg|nvidia|smi|rocm|amd|mx|bug|report|kern|kernel|syslog|messages|journal|journalctl|lspci|ibstat|ibstatus|ibv"
    r"|devinfo|rdma|ethtool|sosreport|sos|snapshot|stdout|stderr|out|err|logs?|te?xt|tar|tgz|gz|xz|zst|bz|json|xml|csv|topo|output"
    r"|captures|state|var|[a-z]"
)
"""Words that may stand beside the name: tools, kinds of logs, endings, options."""
_NODE_FOLDER = regex(r"(?:^|[/!])nodes/(?P<node>(?=[\w.-]{0,80}\d)[A-Za-z0-9][\w.-]{1,80})/")
_BUG_REPORT = regex(
    r"nvidia-bug-report_(?P<node>(?=[\w-]{0,80}\d)[A-Za-z][\w-]{1,80}(?:\.[A-Za-z][\w-]{1,40}){0,5}?)\.(?:log|txt)\b"
)
_WORD = regex(r"[a-z]+|\d+")
_NUMBERED = regex(
    r"(?P<folder>(?:.{0,4000}[/!])?)(?P<word>[A-Za-z][A-Za-z0-9]{0,20}(?:[-_.][A-Za-z][A-Za-z0-9]{0,20}){0,3}?[-_]?)"
    r"(?P<number>\d{1,6})(?P<ending>(?:\.[A-Za-z]{2,8}){0,3})",
)
_LETTERS = regex(r"[a-z]+")
_OF_ONE_NODE = frozenset(
    (
        "rank",
        "run",
        "step",
        "iter",
        "iteration",
        "part",
        "try",
        "job",
        "gpu",
        "dev",
        "cpu",
        "core",
        "log",
        "test",
        "out",
        "err",
        "proc",
        "pid",
        "worker",
        "numa",
        "port",
        "bus",
        "page",
        "case",
        "sample",
        "example",
        "exp",
        "experiment",
        "result",
        "round",
        "pass",
        "attempt",
        "time",
        "day",
        "week",
        "before",
        "after",
        "config",
        "version",
    )
)
"""Words before a number that tell files of one node apart."""
_ENOUGH = 3
"""Files that are named alike: so many are a list of nodes."""


@cache
def node_in_name(source: str, known: frozenset[str]) -> str | None:
    """The node that a source is named after; None where its name says nothing."""
    parts = [part for part in source.replace("!", "/").split("/") if part][-_DEEPEST:]
    by_short = _by_short_name(known)
    gathered = _gathered(source)
    if gathered is not None:
        return gathered
    for part in reversed(parts):
        named = {by_short[word] for word in _candidates(part) if word in by_short}
        if len(named) > 1:  # the output of a job over these nodes
            return None
        told = next(iter(named), None) or _like_a_host(part)
        if told is not None:
            return told
    return None


def numbered_alike(sources: Iterable[str], *, whatever: bool = False) -> frozenset[str]:
    """Those that lie beside one another and are named by one word and a number: ``c101.txt`` and ``c102.txt`` are of
    two nodes, whatever their folder is called. ``whatever``: also ``job1.log`` and ``job2.log``, which may be."""
    alike = _alike(sources, whatever=whatever)
    return frozenset(source for group in alike.values() if len(group) > 1 for source in group)


def nodes_by_number(sources: Iterable[str]) -> dict[str, str]:
    """Source -> node, where three files or more are named alike: ``rx-h100-1.log`` to ``rx-h100-4.log``."""
    groups = [group for group in _alike(sources, whatever=False).values() if len(group) >= _ENOUGH]
    return {source: _stem(source) for group in groups for source in group}


def _alike(sources: Iterable[str], *, whatever: bool) -> dict[tuple[str, str, str], list[str]]:
    """(folder, word before the number, ending) -> sources."""
    alike: dict[tuple[str, str, str], list[str]] = {}
    for source in sources:
        found = _NUMBERED.fullmatch(source)
        if found is None or len(found["word"].rstrip("-_")) + len(found["number"]) < 3:
            continue
        words = _LETTERS.findall(found["word"].lower())
        tool = any(len(word) > 1 and _TOOL.fullmatch(word) for word in words)
        if not tool and (whatever or not _OF_ONE_NODE.intersection(words)):
            alike.setdefault((found["folder"], found["word"], found["ending"]), []).append(source)
    return alike


def _stem(source: str) -> str:
    """The name of a file without folders and endings."""
    found = _NUMBERED.fullmatch(source)
    return found["word"] + found["number"] if found is not None else source


def _gathered(source: str) -> str | None:
    """The node in ``nodes/gpu-a-17/dmesg`` of must-gather, and in ``nvidia-bug-report_gpu-a-17.log.gz``."""
    found = _NODE_FOLDER.search(source) or _BUG_REPORT.search(source)
    return found["node"] if found is not None else None


@lru_cache(maxsize=8)  # made once: for each input it would cost the square of their number
def _by_short_name(known: frozenset[str]) -> dict[str, str]:
    return {name.partition(".")[0]: name for name in known if not name[0].isdecimal() and len(name) > 2}


def _candidates(part: str) -> list[str]:
    """``gpu-a-07.out`` may be named after ``gpu-a-07``: the name without its endings, and its words."""
    stem = part
    found = [part]
    while "." in stem:
        stem = stem.rpartition(".")[0]
        found.append(stem)
    words = [word for word in stem.replace("_", " ").split() if any(sign.isdecimal() for sign in word)]
    return [*found, *words]


def _like_a_host(part: str) -> str | None:
    match = _LIKE_A_HOST.search(part.lower())
    if match is None:
        return None
    rest = part.lower()[: match.start()] + " " + part.lower()[match.end() :]
    around = _WORD.findall(rest)
    alone = all(word.isdecimal() or _TOOL.fullmatch(word) for word in around)
    return part[match.start() : match.end()] if alone else None
