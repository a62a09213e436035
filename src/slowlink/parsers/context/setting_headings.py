"""Headings that people put above the tables of a comparison, with the setting that each was measured with::

    ### NCCL_MAX_NCHANNELS=4
    ===== NCCL_PROTO=LL128, 2 nodes =====
    --- without NCCL_MAX_NCHANNELS ---
    ## NCCL_PROTO unset
    #### A: as shipped

The last one says that nothing was set. Two marks at least make a heading: one alone (``# NCCL_ALGO=Ring``) is what
somebody took out of a script.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.nccl import EnvSetting, LogProcess
from slowlink.model.source import Line
from slowlink.parsers.forms.carried_variables import is_carried
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.patterns import regex

MAX_HEADINGS = Limit(10_000, "settings in headings")

_HEADING = regex(
    r"\s{0,8}(?:#{2,8}|={2,80}|-{2,80}|\*{2,80}|>{2,8})\s{0,4}(?P<text>[^\s#=*>-].{0,200}?)[\s#=*<-]{0,90}"
)
_NAME = r"(?P<name>[A-Z][A-Z\d]{1,10}_[A-Z\d_]{1,100})"
_SET = regex(rf"(?:^|[\s(,;:]){_NAME}\s?=\s?(?P<value>[\w.:,^/+-]{{1,200}})")
_UNSET = regex(
    rf"\b(?:without|no|unset)\s{{1,4}}{_NAME}\b(?!\s?=)"
    rf"|\b{_NAME.replace('name', 'left')}\s{{1,4}}(?:unset|not set|(?:at )?default)\b"
)
_NOTHING_SET = regex(
    r"(?i)(?:(?:run|test|case|config(?:uration)?)?\s?[\w.-]{1,3}\s?[:)]\s{0,4})?(?:as (?:shipped|is)|stock|vanilla"
    r"|baseline|(?:the )?defaults?(?: settings)?|nothing set|no (?:tuning|settings|variables)|untuned|without tuning)"
)


class SettingHeadings:
    """One setting for each variable that a heading names; an empty value where it says that it was not set."""

    kind: ClassVar[str] = "setting-headings"
    literals: ClassVar[Literals] = Literals(("##", "==", "--", "**", ">>"))
    each_alone: ClassVar[bool] = True

    def __init__(self) -> None:
        self._settings: list[EnvSetting] = []

    @staticmethod
    def wants(text: str) -> bool:
        return bool(_told(text))

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        told = _told(line.text)
        if not told:
            return Use.NOT_MINE
        if MAX_HEADINGS.has_room(len(self._settings)):
            nobody = LogProcess(None, None, None)
            self._settings += [EnvSetting(name, value, "heading", nobody, line.ref()) for name, value in told]
        return Use.USED

    def finish(self) -> Iterable[EnvSetting]:
        return list(self._settings)


def _told(text: str) -> list[tuple[str, str]]:
    """Names and values; an empty value of a variable that was not set, and no name where nothing was."""
    heading = _HEADING.fullmatch(text.rstrip()) if len(text) <= 400 else None
    if heading is None:
        return []
    if _NOTHING_SET.fullmatch(heading["text"]):
        return [("", "")]
    found = [(match["name"], match["value"].rstrip(".,:;")) for match in _SET.finditer(heading["text"])]
    found += [(match["name"] or match["left"], "") for match in _UNSET.finditer(heading["text"])]
    return [(name, value) for name, value in found if is_carried(name)]


PARSER = SettingHeadings
