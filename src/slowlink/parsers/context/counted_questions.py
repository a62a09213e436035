"""What a command that prints one number counts: the pipeline behind a question, and what it means."""

from __future__ import annotations

import re
from typing import NamedTuple

from slowlink.patterns import regex

_PIPELINE = regex(
    r"(?P<tool>\bibstatus\b|\bibstat\b|\bibv_devinfo\b|\bibdev2netdev\b|\bnvidia-smi\b|\bfi_info\b"
    r"|\bls (?:-1 )?(?=/sys/class/infiniband/?[\s'\"|]))(?P<options>[^|;&\n]{0,120}?)"
    r"(?P<stages>(?: ?\| ?[^|;&\n]{1,80}){1,3})"
)
_GREP = regex(
    r"(?:sudo )?[ef]?grep(?P<options>(?: -{1,2}[A-Za-z]{1,12})*) "
    r"(?:\\?\"(?P<double>[^\"\\]{1,60})\\?\"|'(?P<single>[^']{1,60})'|(?P<bare>[^\s\"'|\\]{1,60}))"
)
_LINES = regex(r"wc -l")


class Counted(NamedTuple):
    """What the number is: an attribute of a node, and what stands behind the number in its value."""

    attribute: str
    unit: str = ""


class Meaning(NamedTuple):
    """What is counted, where the tool's options and the words that are searched look so."""

    tool: str
    options: re.Pattern[str]
    searched: re.Pattern[str]
    counted: Counted


_ANY = regex(r"")
_PLAIN = regex(r"^(?: 2>/dev/null)? ?$")
"""Asked for all devices, not for one by name."""
_ALL = regex(r"\Z")
"""Nothing is searched: every line counts."""
_MEANINGS = (
    Meaning(
        "ibstat", _PLAIN, regex(r"Rate:?.{0,3}?(?P<rate>\d{2,3})", re.IGNORECASE), Counted("ports-at-rate", "Gb/s")
    ),
    Meaning(
        "ibstat",
        _PLAIN,
        regex(r"LinkUp|State:? ?\.?\*?Active|^Active$", re.IGNORECASE),
        Counted("ports-up"),
    ),
    Meaning("ibstat", _PLAIN, regex(r"^\^?CA '|^\^?CA type|^mlx5(?:_|$)", re.IGNORECASE), Counted("hca-count")),
    Meaning("ibstat", regex(r"^ -l ?$"), _ALL, Counted("hca-count")),
    Meaning("ibstatus", _PLAIN, regex(r"(?P<rate>\d{2,3}) Gb", re.IGNORECASE), Counted("ports-at-rate", "Gb/s")),
    Meaning(
        "ibstatus", _PLAIN, regex(r"rate:?.{0,4}?(?P<rate>\d{2,3})", re.IGNORECASE), Counted("ports-at-rate", "Gb/s")
    ),
    Meaning("ibstatus", _PLAIN, regex(r"LinkUp|ACTIVE", re.IGNORECASE), Counted("ports-up")),
    Meaning("ibdev2netdev", _PLAIN, regex(r"^\W{0,2}Up\W{0,2}$", re.IGNORECASE), Counted("ports-up")),
    Meaning("ibv_devinfo", _PLAIN, regex(r"^hca_id", re.IGNORECASE), Counted("hca-count")),
    Meaning("ibv_devinfo", _PLAIN, regex(r"PORT_ACTIVE"), Counted("ports-up")),
    Meaning("ls", _ANY, regex(r"\Z|^mlx5"), Counted("hca-count")),
    Meaning(
        "nvidia-smi", regex(r"^ (?:-L|--list-gpus) ?$"), regex(r"\Z|^\^?GPU|NVIDIA|[ABH]\d{2,3}"), Counted("gpu-count")
    ),
    Meaning("nvidia-smi", regex(r"--query-gpu=.{0,60}noheader"), _ALL, Counted("gpu-count")),
    Meaning("fi_info", regex(r"-p efa.{0,20}-t FI_EP_RDM"), regex(r"^provider"), Counted("efa-count")),
)


def question(text: str) -> Counted | None:
    """What the first pipeline in this line counts; None where it counts nothing that is known here."""
    for pipeline in _PIPELINE.finditer(text[:600]):
        searched = _searched(pipeline["stages"])
        if searched is not None:
            return _meaning(pipeline["tool"].split()[0], pipeline["options"], searched)
    return None


def _meaning(tool: str, options: str, searched: str) -> Counted | None:
    for each in _MEANINGS:
        found = each.searched.search(searched) if searched else each.searched.match("")
        if each.tool != tool or found is None or each.options.search(options) is None:
            continue
        rate = found.groupdict().get("rate")
        return Counted(each.counted.attribute, f"x {int(rate)} {each.counted.unit}") if rate else each.counted
    return None


def _searched(stages: str) -> str | None:
    """The words that lines are searched for, "" for all lines; None where no number comes out or lines are left out."""
    words, counts = "", False
    for stage in stages.split("|")[1:]:
        found, lines = _GREP.search(stage), _LINES.search(stage)
        if found is None and lines is None:
            return None
        if found is not None:
            if "v" in found["options"].replace("invert", "v") or words:
                return None
            words = found["double"] or found["single"] or found["bare"]
            counts = bool(re.search(r" -[A-Za-z]{0,6}c| --count", found["options"]))
        counts = counts or lines is not None
    return words if counts else None
