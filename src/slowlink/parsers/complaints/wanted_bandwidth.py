"""How much bandwidth somebody expects, in the words around what they measured::

    We expected about 600 GB/s of NVLink.
    H100 has 64 GB/s PCIe so I want to see at least 50 GB/s
    On this port I get 392 Gb/s and not 400
    我们的 all_reduce 至少想要 300

A number without a unit counts where its line speaks of bandwidth; a rule holds it against what the hardware can carry,
and says so where it cannot.
"""

from __future__ import annotations

from typing import ClassVar

from slowlink.model.source import Line
from slowlink.parsers.complaints.told_trouble import ToldTrouble
from slowlink.parsers.forms.gates import Gate, anywhere
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.observation_table import Fact, ObservationParser
from slowlink.patterns import regex

KIND = "bandwidth-wanted"

_UNIT = r" ?(?:[GT]i?B/s|[GT]i?Bps|Gb/s|Gbps|Gbits?/s)"
_RATE = rf"(?<![\w.])(?P<value>\d{{1,5}}(?:\.\d{{1,3}})?{_UNIT})(?!\w)"
_NUMBER = (
    rf"(?<![\w.])(?P<value>\d{{1,5}}(?:\.\d{{1,3}})?(?:{_UNIT})?)"
    r"(?![\w%]|\.\d|-| ?(?:to \d|nodes?|ranks?|gpus?|hosts?|[KMGT]i?B\b|steps?|ms|us|min|hours?|times|x\b))"
)
"""Right behind a word that asks for it; what stands farther away needs its unit."""
_SOME = r"[^.!?;:\d]{0,60}?"
_ABOUT = r"(?: about| around| roughly| at least| up to| close to| some| more than| over| ~)?"
_HAN = r"[^。！？；\d]{0,16}?"


def _fact(mark: str, pattern: str, *samples: str) -> Fact:
    return Fact(KIND, mark, f"(?i){pattern}", samples)


FACTS = (
    _fact("xpect", rf"\bexpect(?:ed|ing|s|ation)?\b{_SOME}{_RATE}", "We expected around 600 GB/s of NVLink"),
    _fact("at least", rf"\bat least {_NUMBER}", "H100 has 64 GB/s PCIe so I want to see at least 50 GB/s"),
    _fact("should", rf"\bshould(?: \w+){{0,3}}?{_ABOUT} {_NUMBER}", "all_reduce should reach 400 GB/s on this machine"),
    _fact(
        "want", rf"\bwant(?:ed|s)?(?: to)?(?: \w+){{0,2}}?{_ABOUT} {_NUMBER}", "we want to reach 300 GB/s with alltoall"
    ),
    _fact("instead of", rf"\binstead of(?: the)?{_ABOUT} {_NUMBER}", "we get 92 GB/s instead of 400 GB/s"),
    *(
        _fact(f"{word} not ", rf"\d(?:{_UNIT})?,? {word} not {_NUMBER}", f"On this port I get 392 Gb/s {word} not 400")
        for word in ("and", "but")
    ),
    _fact(
        "heet",
        rf"{_RATE}[^.!?;:\d]{{0,30}}\bdata ?sheet",
        "NVLink is 600 GB/s according to the datasheet of NVIDIA",
    ),
    _fact("heet", rf"\bdata ?sheet{_SOME}{_RATE}", "the datasheet of this GPU promises 900 GB/s of NVLink"),
    _fact("advertised", rf"{_RATE} (?:as )?advertised", "we see nothing like the 900 GB/s advertised for it"),
    _fact("advertised", rf"\badvertised{_SOME}{_RATE}", "it is far from the advertised 900 GB/s of these GPUs"),
    _fact("rwart", rf"\berwart\w{{1,4}}{_SOME}{_RATE}", "Wir erwarten von der Karte mindestens 45 GB/s"),
    _fact("indestens", rf"\bmindestens {_NUMBER}", "Wir brauchen für das Training mindestens 300 GB/s"),
    _fact("statt", rf"\bstatt {_NUMBER}", "Wir bekommen nur 92 GB/s statt 400 GB/s"),
    *(
        _fact(mark, rf"{mark}{_HAN}{_NUMBER}", f"我们的带宽{mark} 300 GB/s")
        for mark in ("想要", "期望", "预期", "应该", "至少", "理论", "目标", "标称")
    ),
)
_SPEAKS_OF_BANDWIDTH = regex(
    r"(?i)\d ?(?:[GT]i?B/s|[GT]i?Bps|Gb/s|Gbps|Gbit)|bandwidth|\bbus ?bw\b|bandbreite|带宽"
    r"|all[_ -]?(?:reduce|gather|to[_ -]?all)"
)


class WantedBandwidth(ObservationParser):
    """Observations of what somebody expects: the value is a number, with its unit where one was written."""

    kind: ClassVar[str] = "wanted-bandwidth"
    reads_beside: ClassVar[bool] = True
    each_alone: ClassVar[bool] = True
    folds: ClassVar[bool] = True
    facts: ClassVar[tuple[Fact, ...]] = FACTS
    is_foreign = staticmethod(ToldTrouble.is_foreign)

    @staticmethod
    def gate() -> Gate:
        return ((anywhere(_SPEAKS_OF_BANDWIDTH.pattern), anywhere(r"\d")),)

    def take(self, line: Line, text: str) -> Use:
        return super().take(line, text) if _SPEAKS_OF_BANDWIDTH.search(text) else Use.NOT_MINE


PARSER = WantedBandwidth
