"""``dcgmi nvlink --link-status``: one letter for each link of each GPU and NVSwitch::

    +----------------------+
    |  NvLink Link Status  |
    +----------------------+
    GPUs:
        gpuId 0:
            U U D X _
    Key: Up=U, Down=D, Disabled=X, Not Supported=_

A disabled link (``X``) and one that the GPU does not have (``_``) give no reading. Links of NVSwitches that lead
nowhere are down by design, so only those of GPUs are read.

Source: ``dcgmi/Nvlink.cpp`` of DCGM 1.7 to 4.6.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, reading
from slowlink.patterns import regex

_TITLE = regex(r"\s*\|\s{1,20}NvLink Link Status\s{1,20}\|\s*$")
_KIND = regex(r"\s{0,8}(?P<kind>GPUs|NvSwitches):\s*$")
_WHO = regex(r"\s{0,12}(?:gpuId|physicalId) (?P<who>\d{1,4}):\s*$")
_LINKS = regex(r"\s{1,20}[UDX_](?: [UDX_]){0,255}\s*$")
_NOISE = regex(r"\s{0,12}(?:No (?:GPUs|NvSwitches) found\.|Link Entities: .{0,400}|Key: Up=U, Down=D.{0,80})\s*$")


class DcgmNvlink:
    """Remembers whose links the next row of letters shows: a GPU's or an NVSwitch's."""

    kind: ClassVar[str] = "dcgm-nvlink"
    literals: ClassVar[Literals] = Literals(
        (
            *("NvLink Link Status", "\nGPUs:", "\nNvSwitches:", "\ngpuId 0", "\nphysicalId 0"),
            *("\nU ", "\nD ", "\nX ", "\n_ ", "\nU\n", "\nD\n", "\nX\n", "\n_\n"),
            *("No GPUs found.", "No NvSwitches found.", "Link Entities: ", "Key: Up=U"),
        )
    )

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._inside = False
        self._gpus = True
        self._who = ""

    @staticmethod
    def wants(text: str) -> bool:
        return any(pattern.match(text) for pattern in (_TITLE, _KIND, _WHO, _LINKS, _NOISE))

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        text = line.text
        kind, who = _KIND.match(text), _WHO.match(text)
        if _TITLE.match(text) or kind is not None:
            self._inside, self._who = True, ""
            self._gpus = kind is None or kind["kind"] == "GPUs"
            return Use.IGNORED
        if not self._inside:
            return Use.NOT_MINE
        if who is not None:
            self._who = who["who"]
            return Use.IGNORED
        if _LINKS.match(text) and self._who:
            self._links(text.split(), line)
            self._who = ""
            return Use.USED
        if _NOISE.match(text):
            self._inside = "Key:" not in text
            return Use.IGNORED
        return Use.NOT_MINE

    def finish(self) -> Iterable[Reading]:
        return self._found

    def _links(self, letters: list[str], line: Line) -> None:
        if self._gpus and not {"U", "D"} & set(letters) and MAX_READINGS.has_room(len(self._found)):
            self._found.append(reading("gpu-nvlinks-none", Part("gpu", self._who), True, line))
        for number, letter in enumerate(letters if self._gpus else ()):
            if letter in "UD" and MAX_READINGS.has_room(len(self._found)):
                self._found.append(
                    reading("nvlink-active", Part("nvlink", f"{self._who}/{number}"), letter == "U", line)
                )


PARSER = DcgmNvlink
