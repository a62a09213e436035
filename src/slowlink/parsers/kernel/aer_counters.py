"""The kernel's counters of PCIe errors: a file of each device with one line for each kind of error, and their sum.

Behind a command that names the file, twice with a pause, which is how growth is found::

    $ cd /sys/bus/pci/devices; cat 0000:17:00.0/aer_dev_correctable; sleep 60; cat 0000:17:00.0/aer_dev_correctable
    RxErr 180422
    BadTLP 0
    TOTAL_ERR_COR 180422
    RxErr 180960
    BadTLP 0
    TOTAL_ERR_COR 180960

``grep . FILES`` has the path before each line, ``tail -n +1 FILES`` above each list. Only the sums become readings:
which kind of error grew, the lines show.

Source: ``Documentation/ABI/testing/sysfs-bus-pci-devices-aer_stats`` and ``drivers/pci/pcie/aer.c`` of Linux 4.19 to
6.17.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, reading, whole
from slowlink.patterns import regex

ATTRIBUTES = {
    "aer_dev_correctable": "pcie-corrected-errors",
    "aer_dev_nonfatal": "pcie-nonfatal-errors",
    "aer_dev_fatal": "pcie-fatal-errors",
}
_FILE = regex(
    r"(?P<address>[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]|(?<=infiniband/)[\w.-]{1,40}(?=/device))"
    r"(?:/device)?/(?P<file>aer_dev_(?:correctable|nonfatal|fatal))\b(?P<grep>[:-](?=\w+ \d))?"
)
_ENTRY = regex(r"\s{0,8}(?P<name>[A-Za-z][A-Za-z_]{2,30}) (?P<count>\d{1,20})\s{0,8}")
_TOTAL = "TOTAL_ERR_"
_NAMES = (
    *("RxErr", "BadTLP", "BadDLLP", "Rollover", "Timeout", "NonFatalErr", "CorrIntErr", "HeaderOF"),
    *("Undefined", "DLP", "SDES", "TLP", "FCP", "CmpltTO", "CmpltAbrt", "UnxCmplt", "RxOF", "MalfTLP", "ECRC"),
    *("UnsupReq", "ACSViol", "UncorrIntErr", "BlockedTLP", "AtomicOpBlocked", "TLPBlockedErr", "PoisonTLPBlocked"),
)
_KNOWN = frozenset(_NAMES)
_MOST_FILES = Limit(64, "files of one command")
"""Files that one command names."""


class AerCounters:
    """Holds the files that were named last, and takes each list below them for the next one."""

    kind: ClassVar[str] = "sysfs"
    literals: ClassVar[Literals] = Literals(("aer_dev_", _TOTAL, *(f"\n{name} 0" for name in _NAMES)))

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._files: list[tuple[str, str]] = []
        self._at = 0
        """Which of the files comes next; a loop that names its file once goes on with the last."""

    @staticmethod
    def wants(text: str) -> bool:
        return _FILE.search(text[:2000]) is not None or _entry(text) is not None

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        named = _MOST_FILES.first(_FILE.finditer(line.text[:2000]))
        if named and named[0]["grep"]:
            entry = _entry(line.text[named[0].end() :])
            return self._take((named[0]["address"], named[0]["file"]), entry, line)
        if named:
            self._files, self._at = [(each["address"], each["file"]) for each in named], 0
            return Use.NOT_MINE  # it is a command, a prompt or a heading, too
        entry = _entry(line.text)
        if entry is None or not self._files:
            return Use.NOT_MINE
        use = self._take(self._files[self._at], entry, line)
        if entry[0].startswith(_TOTAL) and self._at + 1 < len(self._files):
            self._at += 1
        return use

    def finish(self) -> Iterable[Reading]:
        return self._found

    def _take(self, file: tuple[str, str], entry: tuple[str, int] | None, line: Line) -> Use:
        """Keep a sum; the entries that it adds up are known."""
        if entry is None:
            return Use.NOT_MINE
        if not entry[0].startswith(_TOTAL):
            return Use.IGNORED
        if MAX_READINGS.has_room(len(self._found)):
            kind = "pci" if ":" in file[0] else "hca"
            self._found.append(reading(ATTRIBUTES[file[1]], Part(kind, file[0]), entry[1], line))
        return Use.USED


def _entry(text: str) -> tuple[str, int] | None:
    """(name, count) of a line of such a file; None for any other."""
    found = _ENTRY.fullmatch(text[:200])
    if found is None or not (found["name"] in _KNOWN or found["name"].startswith(_TOTAL)):
        return None
    count = whole(found["count"])
    return (found["name"], count) if count is not None else None


PARSER = AerCounters
