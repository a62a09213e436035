"""What a command that prints one number counts: the pipeline behind a question, and what it means. A kernel file with
one number that is asked of many nodes is such a question, too. Of many nodes any list of parts, modules or settings may
be counted: what the number means is then only that nodes built alike have the same one."""

from __future__ import annotations

import re
from typing import NamedTuple

from slowlink.model.state import Part
from slowlink.parsers.forms.make_reading import NODE
from slowlink.patterns import regex

_PIPELINE = regex(
    r"(?P<tool>\bibstatus\b|\bibstat\b|\bibv_devinfo\b|\bibdev2netdev\b|\bnvidia-smi\b|\bfi_info\b|\blspci\b"
    r"|\bls (?:-1 )?(?=/sys/class/infiniband/?[\s'\"|]))(?P<options>[^|;&\n]{0,120}?)"
    r"(?P<stages>(?: ?\| ?[^|;&\n]{1,80}){1,3})"
)
_LISTING = regex(
    r"(?P<tool>\b(?:(?:ibstatus|ibstat|ibv_devinfo|ibv_devices|ibdev2netdev|show_gids|mst status|rdma (?:link|dev)"
    r"|nvidia-smi|rocm-smi|amd-smi|fi_info|lspci|lsmod|lscpu|lsblk|numactl)(?![\w-])"
    r"|(?:ls|cat) (?:-\w{1,5} )?/(?:dev|sys|proc)/))"
    r"(?P<options>[^|;&\n]{0,160}?)(?P<stages>(?: ?\| ?[^|;&\n]{1,80}){1,4})"
)
"""Lists what a node has. How many processes, files or lines of a log there are differs by nature."""
_HCAS = regex(
    r"(?i:(?:ibv_devices|ibdev2netdev|ibstat -l|rdma (?:link|dev)(?: show)?)(?: 2>/dev/null)? ?\| ?wc -l"
    r"|(?:ibv_devices|ibv_devinfo|ibdev2netdev|rdma (?:link|dev)|lspci|(?:ls|cat) /sys/class/infiniband).{0,80}"
    r"(?:-d ?(?:15b3|1d0f|14e4):|mlx\d|mellanox|connectx|infiniband|elastic fabric|hca_id|==>)"
    r"|ls (?:-\w{1,5} )?/dev/infiniband/uverbs)"
)
_GPUS = regex(
    r"(?i:(?:nvidia-smi|rocm-smi|amd-smi) .{0,80}(?:-L\b|--list-gpus|--query-gpu=(?:name|index|uuid)\b|list\b)"
    r"|lspci .{0,80}(?:-d ?(?:10de|1002):|nvidia|3d controller|amd/ati|processing acc)"
    r"|ls (?:-\w{1,5} )?/dev/nvidia[\[0-9])"
)
_NO_DEVICES = regex(
    r"(?i:-vv|-q\b|down|disabled|polling|init|armed|err|fail|retired|rev ff|lnksta|width|speed|acs|grep (?:-\w+ )*-\w*v"
    r"|rate|state|active|\bup\b|gid)"
)
"""What is counted of these tools is no device, or one in a state: fewer of them are no loss."""
_GATHERED_BY = regex(r"['\"] ?\| ?(?:dshbak|clubak|sort)\b.{0,60}$")
_MOST_OF_TEXT = 100
"""Letters of a question that are shown."""
_GREP = regex(
    r"(?:sudo )?[ef]?grep(?P<options>(?: -{1,2}[A-Za-z]{1,12})*) "
    r"(?:\\?\"(?P<double>[^\"\\]{1,60})\\?\"|'(?P<single>[^']{1,60})'|(?P<bare>[^\s\"'|\\]{1,60}))"
)
_LINES = regex(r"wc -l")
_INTERFACE_MTU = regex(r"\bcat /sys/class/net/(?P<interface>[a-z][\w.-]{1,30})/mtu\b")
_OF_PROCESSORS = "cpu-count"
_PROCESSORS = regex(
    r"(?:(?<=[\s'\"`])|^)(?:nproc(?: --all)?|getconf _NPROCESSORS_ONLN)(?=\s{0,4}(?:[;&'\"`)]|$))"
    r"|grep -c (?:\^|')?\^?processor'? /proc/cpuinfo"
)
_FIRST = regex(r"(?:.{0,400}(?:[#$%>'\"`:]|\bdo|\bssh (?:-\S{1,30} ){0,3}\S{1,80}))?\s{0,4}")
"""What may stand before a command that prints nothing but a number, so that no other command's number is taken."""
_BETWEEN = regex(r"['\"]?\s{0,4}(?:;|&&)?\s{0,4}(?:sudo )?")
"""What stands between two commands of which the second's answer is below the first's."""


class Counted(NamedTuple):
    """What the number is: an attribute of a node or of one part, and what stands behind the number in its value."""

    attribute: str
    """"" where only nodes can be compared by it."""
    unit: str = ""
    part: Part = NODE
    text: str = ""
    """The question as it was asked, where it has no attribute."""
    devices: str = ""
    """What it counts then: ``hca``, ``gpu``, or nothing that is known."""


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
    Meaning("fi_info", regex(r"-p efa.{0,20}-t FI_EP_RDM"), regex(r"^\^?(?:provider|domain)"), Counted("efa-count")),
    Meaning("lspci", _PLAIN, regex(r"^Elastic Fabric|\bEFA\b", re.IGNORECASE), Counted("efa-count")),
)


def questions(text: str) -> tuple[Counted, ...]:
    """What the first command in this line counts whose number is known here, and those that follow it directly: their
    numbers stand one below the other. Empty where nothing is counted that is known here."""
    found: list[Counted] = []
    end = 0
    for begin, stop, counted in _commands(text[:600]):
        follows = found and _BETWEEN.fullmatch(text, end, begin) is not None
        alone = counted is not None and counted.attribute == _OF_PROCESSORS and _FIRST.fullmatch(text, 0, begin) is None
        if counted is None or (found and not follows) or (alone and not follows):
            if found:
                break
            continue
        found.append(counted)
        end = stop
    return tuple(found)


def compared(text: str) -> tuple[Counted, ...]:
    """The same of a line that asks many nodes: with what is counted of any list, too."""
    text = _GATHERED_BY.sub("", text[:600])
    listings = {each.start(): each for each in _LISTING.finditer(text)}
    known = {begin: (begin, stop, counted) for begin, stop, counted in _commands(text)}
    found: list[Counted] = []
    end = 0
    for begin in sorted({*listings, *known}):
        _, stop, counted = known.get(begin, (begin, 0, None))
        if begin < end:
            continue
        listing = listings.get(begin)
        if counted is None and listing is not None and _counts(listing["stages"]):
            stop, counted = listing.end(), _of_listing(listing)
        follows = found and _BETWEEN.fullmatch(text, end, begin) is not None
        if counted is None or (found and not follows):
            if found:
                break
            return ()  # the first number is another command's, or no number at all
        found.append(counted)
        end = stop
    return tuple(found)


def _of_listing(listing: re.Match[str]) -> Counted:
    asked = " ".join(listing[0].split())
    for quote in "'\"":
        asked = asked.strip(quote) if asked.count(quote) % 2 else asked  # the one around the whole command
    asked = asked.strip()
    devices = ""
    if _NO_DEVICES.search(listing["options"] + listing["stages"]) is None:
        devices = "hca" if _HCAS.match(asked) else "gpu" if _GPUS.match(asked) else ""
    return Counted("", text=asked[:_MOST_OF_TEXT], devices=devices)


def _counts(stages: str) -> bool:
    """Does the last stage print how many lines there are?"""
    last = stages.rpartition("|")[2]
    grep = _GREP.search(last)
    options = grep["options"] if grep is not None else ""
    return _LINES.search(last) is not None or re.search(r" -[A-Za-z]{0,6}c| --count", options) is not None


def _commands(text: str) -> list[tuple[int, int, Counted | None]]:
    """Every command that may print one number: where it begins and ends, and what it counts."""
    found = [(each.start(), each.end(), _of_pipeline(each)) for each in _PIPELINE.finditer(text)]
    found += [(each.start(), each.end(), Counted(_OF_PROCESSORS)) for each in _PROCESSORS.finditer(text)]
    for each in _INTERFACE_MTU.finditer(text):
        found.append((each.start(), each.end(), Counted("interface-mtu", "", Part("interface", each["interface"]))))
    return sorted(found, key=lambda command: command[0])


def _of_pipeline(pipeline: re.Match[str]) -> Counted | None:
    searched = _searched(pipeline["stages"])
    return _meaning(pipeline["tool"].split()[0], pipeline["options"], searched) if searched is not None else None


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
