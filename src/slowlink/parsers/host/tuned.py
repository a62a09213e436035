"""``tuned-adm active``: the profile by which tuned sets governor, idle states and kernel parameters of a node::

    Current active profile: throughput-performance

Source: ``tuned/admin/admin.py`` of tuned 2.8 to 2.24. Without a profile, or without the daemon, nothing is set.
"""

from __future__ import annotations

from typing import ClassVar

from slowlink.parsers.forms.reading_table import LineFact, ReadingParser
from slowlink.patterns import regex

FACTS = (
    LineFact(
        "tuned-profile",
        "Current active profile",
        r"Current active profile: (?P<value>[\w. -]{1,80})$",
        {"Current active profile: hpc-compute": "hpc-compute"},
    ),
    LineFact(
        "tuned-profile",
        "No current active profile",
        r"No current active profile\.?$",
        {"No current active profile.": "none"},
        convert=lambda _: "none",
    ),
)


class Tuned(ReadingParser):
    """The active profile of a node."""

    kind: ClassVar[str] = "tuned"
    facts: ClassVar[tuple[LineFact, ...]] = FACTS
    legend_marks = ("Preset profile: ", "Virtual machine", "Cannot talk to TuneD")
    legend = regex(r"Preset profile: \S|Virtual machine|Cannot talk to TuneD daemon")


PARSER = Tuned
