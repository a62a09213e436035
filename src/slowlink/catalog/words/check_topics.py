"""What the checks of a GPU node are about, from ``check_topics.toml``."""

from __future__ import annotations

import re
from functools import cache

from slowlink.catalog.load import table
from slowlink.patterns import regex

_CAMEL = regex(r"(?<=[a-z])(?=[A-Z])")


def is_topic(name: str) -> bool:
    """Is a check of this name about GPUs, links or NICs, or what they need of their node?"""
    return (_has("sharp", name) or _has("vague", name)) and not _has("other", name)


def is_sharp_topic(name: str) -> bool:
    """Does it name GPUs, their links or NICs? ``memory`` and ``port`` alone may be of anything."""
    return _has("sharp", name) and not _has("other", name)


def _has(kind: str, name: str) -> bool:
    """Names of one word are asked with blanks, too: ``pcie_width``, ``pcieWidth``, ``InfiniBand``."""
    words = name.replace("_", " ")
    return any(_topics(kind).search(text.lower()) is not None for text in {words, _CAMEL.sub(" ", words)})


@cache
def _topics(kind: str) -> re.Pattern[str]:
    words = table("words/check_topics.toml")
    return regex(rf"(?<![a-z])(?:{'|'.join(words[kind])})(?![a-z])|{'|'.join(words[f'{kind}_parts'])}")
