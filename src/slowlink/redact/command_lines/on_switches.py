"""Passwords in lines of the configuration of switches and routers, which have no sign between a name and its value.

Sources: command references of Cisco IOS and NX-OS (``enable``, ``username``, ``neighbor``, ``vtp password``), of SONiC
(``config tacacs passkey``) and of Cumulus Linux (``nv set system aaa user NAME password``).
"""

from __future__ import annotations

from slowlink.patterns import regex

_MIXED = r"(?=[^\s,|]{0,100}\d)(?=[^\s,|]{0,100}[A-Za-z])"
"""A word of a language, such as stands behind ``enable password`` in a sentence, holds no digit."""
ON_SWITCHES = regex(
    r"(?:\b(?:enable|username \S{1,60}(?: (?:privilege \d{1,2}|role \S{1,60})){0,2}) (?:secret|password)"
    r" (?:\d{1,2}|sha512|sha256|scrypt|pbkdf2|md5)"
    r"|(?:tacacs|radius)-server key(?: \d)?)"
    r" (?P<value>(?!<redacted:)\S{4,200})"
    r"|\bneighbor \S{1,100}(?: peer-group \S{1,100})? password(?: (?:encrypted|\d{1,2}))? "
    r"(?P<of_a_neighbor>(?!<redacted:)[^\s\"'\\,<|]{4,200})(?=\s*$|[\"'\\,<|])"
    rf"|\b(?:enable (?:secret|password)|vtp password) "
    rf"(?P<alone>(?!<redacted:){_MIXED}[^\s\"'\\,<|]{{5,200}})(?=\s*$|[\"'\\,<|])"
    r"|\baaa user \S{1,100} (?:hashed-)?password (?P<of_a_user>(?!<redacted:)[^\s\"'\\,<|]{4,200})"
    r"|\b(?:tacacs|radius)(?: \S{1,100}){0,2} passkey (?P<of_a_server>(?!<redacted:)[^\s\"'\\,<|]{4,200})"
)
