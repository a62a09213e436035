"""Secret arguments of known programs: ``mysql -pSECRET``, ``ipmitool -P SECRET``, ``echo SECRET | kinit``."""

from __future__ import annotations

from collections import Counter

from slowlink.patterns import regex
from slowlink.redact.command_lines.command_words import secret_words
from slowlink.redact.command_lines.commands import secrets_in_commands
from slowlink.redact.command_lines.programs import MARKS, PROGRAMS
from slowlink.redact.reading.held import ask_for
from slowlink.redact.replaced import Span, replace_spans
from slowlink.redact.sql import MARKS as STATEMENTS
from slowlink.redact.sql import sql_spans
from slowlink.redact.switches import MARKS as SWITCHES
from slowlink.redact.switches import switch_spans

PROGRAM_NAMES = "(?:" + "|".join(sorted(map(str.lower, PROGRAMS), key=len, reverse=True)).replace(".", r"\.") + ")"
PROGRAM = regex(rf"(?<![\w.~])(?<!\w@){PROGRAM_NAMES}(?:,\d{{1,9}})?(?=[\s\0\"'])")
"""Anything may stand before a program that is no part of a name, of a file or of a host: whoever shows a command puts
there what he likes."""
_AUDITED = regex(r"\ba\d{1,3}=(?:\"(?P<word>[^\"\n]*)\"|(?P<hex>(?:[\dA-F]{2}){1,4000})(?![\w]))")
"""The words of a command in auditd's records. Source: audit-userspace, the fields of EXECVE."""
_AROUND_LIST = regex(r"['\"](?=\[['\"])|(?<=['\"]\])['\"]")
"""Quotes around a list of words, as Python's CalledProcessError has them: ``Command '['ssh', '-v']' returned``."""
_COMMANDS = (
    *MARKS,
    "pass",
    "wandb",
    "vault",
    "7z",
    "rar",
    "net ",
    "with-token",
    "alias",
    "host add",
    "wget",
    "http",
    "xh",
    "bw ",
    "identified by",
    "set password",
    "-on-stdin",
    "dev/stdin",
    "<<<",
    "secret create",
    "secret set",
    "vault",
    "-stdin",
    "realm",
    "setuser",
    "user ",
    *SWITCHES,
    *STATEMENTS,
    "expect",
    "-key",
)
"""In small letters; one of them is on each line on which something is secret here."""
_ANY = ask_for(_COMMANDS)
RUNS_PROGRAM = ask_for(map(str.lower, PROGRAMS))
_ON_SWITCHES, _IN_SQL = ask_for(SWITCHES), ask_for(STATEMENTS)
_GIVEN = r"(?:'(?P<single>[^'\n]{1,400})'|\"(?P<double>[^\"\n]{1,400})\"|[\"']?(?P<value>[^\s\"']{1,400}?))"
_PIPED = regex(
    rf"\b(?:echo|printf)(?:\s{{1,4}}-[neE]{{1,2}}|\s{{1,4}}[\"']?%s(?:\\n)?[\"']?)?\s{{1,4}}{_GIVEN}"
    r"\s{0,4}\|\s{0,4}(?:sudo\s{1,4})?(?:kinit\b|sudo\s[^|]{0,40}-\w{0,4}S|chpasswd|passwd(?:\s{1,4}[\w.-]{1,60}){0,3}\s*(?:$|[\"'\\;&|])"
    r"|[^|;&]{0,100}(?:--(?:pass|pw|token|secret|key|cred)[\w-]{0,30}stdin|--stdin-pass|--with-token|--passphrase-fd|-passin\s+stdin)"
    r"|(?:docker|podman)\s{1,4}secret\s{1,4}create\b|gh\s{1,4}secret\s{1,4}set\b"
    r"|vault\s[^|;&]{0,100}=-(?=\s|$)|kubectl\s[^|;&]{0,200}/dev/stdin"
    r"|cryptsetup\b|zfs\s{1,4}(?:load|change)-key\b|net\s{1,4}ads\b|realm\s{1,4}join\b)"
)
_GROUPED = regex(
    rf"\b(?:echo|printf)(?:\s{{1,4}}-[neE]{{1,2}})?\s{{1,4}}{_GIVEN}(?=\s{{0,4}}(?:;|&&)[^|()\n]{{0,200}}[)}}]|\s{{0,4}}[)}}]|\s{{0,4}}\|)"
    r"(?=[^|\n]{0,400}\|\s{0,4}(?:sudo\s{1,4})?(?:smbpasswd|pdbedit|passwd|chpasswd|kinit)\b)"
)
"""What several commands in brackets say to one that asks twice."""
_HERE = regex(
    rf"\b(?:kinit|sudo|chpasswd|passwd|cryptsetup|docker|podman|read|gh|gpg2?|vault)\b[^|;&<]{{0,100}}<<<\s{{0,4}}{_GIVEN}(?=[\s\"']|$)"
)
_NET_USE = regex(
    r"(?i:\bnet(?:\.exe)? use)(?: [A-Za-z*]:?)? {1,4}(?:\\\\\S{1,400}|\"\\\\[^\"\n]{1,400}\")(?: {1,4}/\S{1,200}){0,8}"
    r" {1,4}(?P<value>(?![/<>*&|;])[^\s\"']{1,400})"
)
"""The password stands behind the share, options or not between them. Source: Windows commands, net use."""
_NET_USER = regex(r"(?i:\bnet(?:\.exe)? user) {1,4}[^\s/\"']{1,104} {1,4}(?P<value>(?![/<>*&|;])[^\s\"']{1,127})")
_SQL = regex(
    r"(?i:\bidentified\s{1,4}(?:with\s{1,4}\S{1,60}\s{1,4})?(?:by|as)\s{1,4}(?:password\s{1,4})?|\bpassword\s{0,4}\(\s{0,4})"
    r"[\"'](?P<value>[^\"'\n]{1,400})"
)
_SET_PASSWORD = regex(
    r"(?i:\bset\s{1,4}password(?:\s{1,4}for\s{1,4}(?:user\s{1,4}|role\s{1,4})?[^\s=]{1,100}(?:\s{1,4}@\s{0,4}[^\s=]{1,100})?)?\s{0,4}(?:=|to)\s{0,4})"
    r"[\"'](?P<value>[^\"'\n]{1,400})"
)
_ACL = regex(
    r"(?i:\b(?:setuser|user)\s{1,4}\S{1,100}\s{1,4}(?:(?:on|off|reset|resetpass|nopass|(?:skip-)?sanitize-payload)\s{1,4}){1,4})"
    r"[>#](?P<value>[^\s=>#]\S{0,400})"
)
"""Redis: a user of its access lists."""
SENT = (
    r"\bsend\s{1,4}(?:--\s{1,4})?(?:\{(?P<braced>[^{}\n]{1,400})\}"
    r"|\\{0,3}\"(?P<quoted>(?:[^\s\"\\]|\\{1,3}(?![\"rnt])[^\s\"]){1,400})|\\{0,3}'?(?P<value>[^\s\"'{}\\;$]{1,400}))"
)
_EXPECTED = regex(rf"(?i:\bexpect\b[^\n]{{0,400}}?ass(?:word|phrase|code)[^\n]{{0,100}}?){SENT}")
"""What expect(1) sends after it was asked for a password."""
_LITERAL = regex(r"--from-literal[=\s]{1,4}[\"']?[\w.-]{1,253}=(?P<value>[^\s\"']{1,4000})")


_BY_FORM = (
    (ask_for(("echo", "printf")), "|", _PIPED),
    (ask_for(("echo", "printf")), "|", _GROUPED),
    (ask_for(("<<<",)), "<<<", _HERE),
    (ask_for(("--from-literal",)), "", _LITERAL),
    (ask_for(("net use", "net.exe use")), "\\\\", _NET_USE),
    (ask_for(("net user", "net.exe user")), "", _NET_USER),
    (ask_for(("identified", "password")), "", _SQL),
    (ask_for(("password",)), "", _SET_PASSWORD),
    (ask_for(("setuser", "user")), "", _ACL),
    (ask_for(("expect",)), "", _EXPECTED),
)
"""A word that a line must hold, and a sign beside; the pattern."""


def redact_arguments(text: str, removed: Counter[str], words: int) -> str:
    """One line with the secret arguments of known programs replaced. ``words``: what ``held`` says of it."""
    if not words & _ANY:
        return text
    spans = [
        Span(*match.span(match.lastgroup or "value"))
        for asks, sign, pattern in _BY_FORM
        if words & asks and sign in text
        for match in pattern.finditer(text)
    ]
    low = text.lower()
    if words & _ON_SWITCHES:
        spans += map(Span._make, switch_spans(text, low, words))
    if words & _IN_SQL:
        spans += map(Span._make, sql_spans(text, low))
    if words & RUNS_PROGRAM:
        spans += argument_spans(text)
    return replace_spans(text, spans, removed) if spans else text


def argument_spans(text: str, since: int = 0) -> list[Span]:
    """Where the secret arguments of known programs stand on a line, from the place ``since`` on."""
    if PROGRAM.search(text.lower()) is None:
        return []
    spans = secrets_in_commands(_AROUND_LIST.sub(" ", text), since)
    if "argc=" in text or " a1=" in text:
        spans += _audited(text)
    return spans


def _audited(text: str) -> list[Span]:
    words = list(_AUDITED.finditer(text))
    inside = secret_words([word["word"] or "" for word in words])
    return [
        Span(words[at].start("word") + begin, words[at].start("word") + end)
        for at, (begin, end) in inside.items()
        if words[at]["word"]
    ]
