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
MNEMONIC = regex(
    r"(?i:\b(?:mnemonic|(?:wallet|recovery|bip39)[_ -]?seed|seed[_ -]?phrase)(?:[_ -]?phrase)?)[\"']?"
    r"\s{0,4}[:=]\s{0,4}[\"']?"
    r"(?P<value>(?:[a-z]{3,8} ){11,23}[a-z]{3,8})(?![\w ])"
)
"""Twelve words or more, of which a key is made. Source: BIP 39."""
FOUND_IN = regex(
    r"(?<![\w.-])(?P<name>[\w.-]{1,100}) (?:from|in) (?:the )?(?:env(?:ironment)?|config(?:uration)?|settings)"
    r"(?: (?:file|variable))?: {1,4}[\"']?"
    r"(?P<value>(?=[^\s\"']{0,200}\d)(?=[^\s\"']{0,200}[a-z])(?=[^\s\"']{0,200}[A-Z!#$%^&*])[\w.+=!@#$%^&*~-]{8,400}"
    r"|[a-f\d]{32,64})(?=[\"']?\s*$)"
)
"""What a client says of where it has found a key. Source: Comet's SDK."""
FORM_PART = regex(
    r"(?i:form-data;) ?name=\\{0,3}\"?(?P<name>[\w.\[\]-]{1,100})\\{0,3}\"?"
    r"(?:\\{1,3}r)?\\{1,3}n(?:[A-Za-z-]{1,40}: [^\\\n]{1,100}(?:\\{1,3}r)?\\{1,3}n){0,2}(?:\\{1,3}r)?\\{1,3}n"
    r"(?P<value>(?!<redacted:|--)[^\\\n]{1,400})"
)
"""A part of a form where its lines are written as one (Python's ``repr``)."""
GRUB = regex(
    r"^\s{0,40}password(?:_pbkdf2)? (?!(?:hash|for|is|was|of|policy|type|algorithm)\b)[A-Za-z_][\w.-]{0,31} "
    r"(?P<value>(?!<redacted:)(?=\S{0,60}\d)(?=\S{0,60}[a-z])(?=\S{0,60}[A-Z!#$%&*?^])[^\s\"']{8,600})(?=\s*$)"
)
"""A user and his password, on a line of their own. Source: GRUB's manual, security."""
RESET = r"password for (?:the )?\[?[\w.@-]{1,60}\]?(?: user| account)? \([^()\n]{1,160}\)"
"""The value follows on the next line."""
OWN_WRITINGS: tuple[tuple[str, re.Pattern[str], str], ...] = (
    ("password for ", ELASTIC, "password"),
    ("password ", ELASTIC, "password"),
    ("new value: ", ELASTIC, "password"),
    ("set ", TCL, "secret"),
    *((mark, MNEMONIC, "key") for mark in ("mnemonic", "seed")),
    (" env", FOUND_IN, "key"),
    (" config", FOUND_IN, "key"),
    (" settings", FOUND_IN, "key"),
    ("form-data", FORM_PART, "password"),
    ("password", GRUB, "password"),
    (" by lazy", BLOCK, "secret"),
    ("lazy val ", BLOCK, "secret"),
)
"""A mark in small letters that the line must hold; the pattern; the kind."""
