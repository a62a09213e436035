"""Secrets in writings of one program or language alone: what Elasticsearch prints of passwords that it has set,
Tcl's braces, and the blocks that give a value in Kotlin and Scala.

Sources: the manuals of ``elasticsearch-reset-password`` and ``elasticsearch-setup-passwords``, set(n) of Tcl,
Kotlin's delegated properties.
"""

from __future__ import annotations

import re

from slowlink.patterns import regex

ELASTIC = regex(
    r"(?i:\bpassword for (?:the )?)\[?[\w.@-]{1,60}\]?(?: user| account)? \([^()\n]{1,160}\)\s?:\s{1,4}"
    r"(?P<value>(?!<redacted:)(?=\S{0,200}\d)[^\s\"']{6,200})(?=\s*$)"
    r"|(?<!\w)PASSWORD [a-z][\w.-]{1,40} = (?P<of_a_user>(?!<redacted:)(?=\S{0,200}\d)[^\s\"']{6,200})(?=\s*$)"
    r"|(?<!\w)New value: (?P<new>(?=\S{0,20}\d)(?=\S{0,20}[a-z])(?=\S{0,20}[A-Z])[\w*=+-]{20})(?=\s*$)"
)
TCL = regex(
    r"(?<![\w-])set\s{1,4}(?:::)?(?:\w{1,40}\()?(?P<name>[\w.-]{1,60})\)?\s{1,4}"
    r"(?:\{(?P<braced>(?!<redacted:|\$)[^{}\n]{4,400})\}"
    r"|(?<=\)\s)\"?(?P<value>(?!<redacted:|\$|\[)(?=\S{0,200}\d)[^\s{}\"]{6,400}))"
)
BLOCK = regex(
    r"\bval\s(?P<name>\w{1,60})(?:\s?:\s?[\w.?]{1,40})?\s(?:by\slazy\s?|=\s?)\{\s?"
    r"\"(?P<value>(?!<redacted:)(?=[^\"\n]{0,200}\d)[^\"\n]{6,400})\"",
)
RESET = r"password for (?:the )?\[?[\w.@-]{1,60}\]?(?: user| account)? \([^()\n]{1,160}\)"
"""The value follows on the next line."""
OWN_WRITINGS: tuple[tuple[str, re.Pattern[str], str], ...] = (
    ("password for ", ELASTIC, "password"),
    ("password ", ELASTIC, "password"),
    ("new value: ", ELASTIC, "password"),
    ("set ", TCL, "secret"),
    (" by lazy", BLOCK, "secret"),
    ("lazy val ", BLOCK, "secret"),
)
"""A mark in small letters that the line must hold; the pattern; the kind."""
