"""Secrets in the configuration of switches, routers and SNMP, where they stand bare behind words.

Sources: the command references of Cisco IOS and NX-OS, Arista EOS and Junos, SONiC and
Cumulus Linux; snmpd.conf(5), snmpcmd(1).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from slowlink.patterns import regex
from slowlink.redact.reading.held import ask_for

_HASH = r"(?:md5|sha1?|(?:hmac-)?sha-?\d{1,3}(?:-\d{1,3})?|cmac-\w{1,10})"
_CIPHER = r"(?:3?des(?:56|168)?|aes(?:[ -]?(?:128|192|256)c?)?)"
_NO_VALUE = r"(?!version\b|traps\b|informs\b|vrf\b|use-vrf\b|\d{1,5}\b)"
_BY_TYPE = r"\b(?:password|secret)\s{1,4}[0578]\s{1,4}(?P<typed>(?=\S{0,200}\d)(?=\S{0,200}[A-Za-z])\S{8,200})"
_TYPED = regex(_BY_TYPE)
_GIVEN = regex(
    r"\b(?:snmp-server|snmp)\s{1,4}community\s{1,4}(?:(?:add|del(?:ete)?|remove|replace(?:\s{1,4}<redacted:\w{1,20}>)?)\s{1,4}(?!(?i:ro|rw)\b)(?=[^\s|;&]))?(?P<community>\S{1,100})"
    r"|\b(?:ro|rw|trap)community6?\s{1,4}(?P<daemon>\S{1,100})"
    r"|\bcom2sec6?\s{1,4}(?:-Cn\s{1,4}\S{1,100}\s{1,4})?\S{1,100}\s{1,4}\S{1,253}\s{1,4}(?P<view>\S{1,100})"
    r"|\b(?:snmp-server\s{1,4}host|trap2?sink|informsink)\s{1,4}\S{1,253}\s{1,4}(?:(?:traps|informs)\s{1,4})?"
    rf"(?:version\s{{1,4}}(?:1|2c)\s{{1,4}})?(?P<sink>{_NO_VALUE}[^\s#]{{1,100}})"
    r"|\b(?:(?:radius|tacacs)-server|tacacs\+)\s(?:[^|;\n]{0,200}?\s)?key\s{1,4}(?:\d\s{1,4})?(?P<key>\S{1,400})"
    r"|\bmessage-digest-key\s{1,4}\d{1,3}\s{1,4}md5\s{1,4}(?:\d\s{1,4})?(?P<digest>\S{1,400})"
    rf"|\bauthentication-key\s{{1,4}}\d{{1,5}}\s{{1,4}}{_HASH}\s{{1,4}}(?:\d\s{{1,4}})?(?P<ntp>\S{{4,400}})"
    r"|\bauthentication-key\s{1,4}(?:\d\s{1,4})?(?P<routing>(?!\d{1,5}\b|[=:])[^\s\"']{4,400})(?=[\"';]{0,2}\s*$)"
    r"|\bkey-string\s{1,4}(?:\d\s{1,4})?(?P<chain>(?![=:])[^\s\"']{4,400})(?=[\"';]{0,2}\s*$)"
    r"|\b(?:isakmp|ikev2)\s{1,4}key\s{1,4}(?:\d\s{1,4})?(?P<tunnel>\S{4,400})\s{1,4}(?:address|hostname)\b"
    r"|\bpre-?shared-key\s{1,4}(?:ascii-text|hexadecimal|local|remote)\s{1,4}(?:\d\s{1,4})?[\"']?(?P<shared>[^\s\"']{4,400})(?<!;)"
    rf"|{_BY_TYPE}"
    r"|\bkey\s{1,4}[0578]\s{1,4}(?P<hexadecimal>(?=\d{0,200}[A-F])[\dA-F]{8,200})(?![\w-])"
)
_USER = regex(
    rf"\bauth\s{{1,4}}{_HASH}\s{{1,4}}[\"']?(?P<one>[^\s\"']{{4,400}})[\"']?"
    rf"(?:\s{{1,4}}priv\s{{1,4}}(?:{_CIPHER}\s{{1,4}})?[\"']?(?P<two>[^\s\"']{{4,400}}))?"
    rf"|\bpriv\s{{1,4}}{_CIPHER}\s{{1,4}}[\"']?(?P<three>[^\s\"']{{4,400}})",
    re.IGNORECASE,
)
"""A user of SNMPv3 has two: one to authenticate, one to encrypt."""
_USER_OF_DAEMON = regex(
    rf"\b(?:{_HASH}|{_CIPHER})\s{{1,4}}(?:-[lmk]\s{{1,4}})?[\"']?(?P<value>[^\s\"']{{8,400}})", re.IGNORECASE
)
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
"""The same where what follows the words may be of a sentence, which ends elsewhere."""
MARKS = (
    *("communit", "com2sec", "sink", "-server", "digest-key", "tion-key", "key-string", "isakmp", "ikev2 key"),
    *("tacacs+", "shared-key", "password", "secret", "snmp", "createuser", "key 7", "key 5", "key 8", "key 0"),
)
"""In small letters; one of them is on each line on which something is secret here."""


_OF_OTHERS = ask_for(mark for mark in MARKS if mark not in ("password", "secret"))


def switch_spans(text: str, low: str, words: int) -> Iterator[tuple[int, int]]:
    """Where such secrets stand on a line; ``low``: in small letters; ``words``: what ``held`` says of it."""
    for match in (_GIVEN if words & _OF_OTHERS else _TYPED).finditer(text):
        yield match.span(match.lastgroup or 0)
    if "snmp" in low or "createuser" in low:
        for match in (_USER_OF_DAEMON if "createuser" in low else _USER).finditer(text):
            yield from (match.span(group) for group, value in match.groupdict().items() if value is not None)
