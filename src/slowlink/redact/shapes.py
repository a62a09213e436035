"""Secrets that are known by their own form, or by what is around them.

Sources: ``forms`` names those of the issuers' keys; RFC 6750 for bearer tokens, RFC 3986 for user information in
addresses, the manuals of Azure, AWS and Google for signatures of addresses.
"""

from __future__ import annotations

import re
from collections import Counter

from slowlink.patterns import regex
from slowlink.redact.forms import KEYS, has_form
from slowlink.redact.names import is_secret_name
from slowlink.redact.replaced import replace_with

_BEARER = regex(r"(?i:\bbearer)\s{1,4}(?P<value>(?=\S{0,200}\d)[\w.~+/=-]{8,8000}|[\w.~+/=-]{16,8000})")
_SIGNED = regex(
    r"(?i:(?<![\w-])(?:sig|signature|x-amz-signature|x-goog-signature)=)"
    r"(?P<value>(?=[\w%+/=-]{16})[\w%+/=-]{8,1000}|(?<=[?&]sig=)[\w%+/=-]{8,1000}|(?<=[?&]signature=)[\w%+/=-]{8,1000})"
)
_PASSWORD_IN_ADDRESS = regex(
    r"[A-Za-z][\w+.-]{0,30}://(?P<user>[^\s/@:\"'<>]{0,200}):(?P<value>(?!<redacted:)(?:[^\s/\"']{1,400}(?=@)|[^\s\"'@]{1,400}(?=@)))@"
)
_ORACLE = regex(r"jdbc:oracle:\w{1,10}:[\w$#]{1,100}/(?P<value>(?!<redacted:)[^\s@/\"']{1,100})@")
_WANDB = regex(r"(?i:wandb)(?P<between>[^\n]{0,80}?)(?<![A-Za-z\d])(?P<value>[a-f\d]{40})(?![A-Za-z\d])")
_REVISION = regex(r"(?i:commit|sha|revision|rev|head|git|hash|digest)")
_PORT = regex(r"\d{1,5}(?:/.*)?")
_TOKEN_IN_ADDRESS = regex(
    r"[A-Za-z][\w+.-]{0,30}://(?P<value>(?=[^\s/@]{0,200}\d)[\w.~%+-]{20,400})(?=[:@][^\s/]{0,400})(?=[^\s/]{0,400}@|@)"
)
_IN_OTHER_LANGUAGES = (
    *("kennwort", "passwort", "wachtwoord", "contrase", "senha", "mot_de_passe", "motdepasse", "mot de passe"),
    *("\u5bc6\u7801", "\u5bc6\u78bc", "\u53e3\u4ee4", "\u30d1\u30b9\u30ef\u30fc\u30c9"),
    *("\u043f\u0430\u0440\u043e\u043b\u044c", "has\u0142o", "l\u00f6senord"),
)
"""Password in German, Dutch, Spanish, Portuguese, French, Chinese, Japanese, Russian, Polish and Swedish."""
_FOREIGN = regex(
    r"(?i:" + "|".join(_IN_OTHER_LANGUAGES) + r")(?:na|\u00f1a)?[\"']?\s{0,4}[:=\uff1a]\s{0,4}[\"']?"
    r"(?P<value>(?!<redacted:)[^\s\"',;]{4,400})"
)
_UNSEAL = regex(r"(?i:(?:unseal|recovery) key \d{1,2}): {0,4}(?P<value>[\w+/=-]{20,200})")
_PROMPT = regex(
    r"(?i:(?:\benter (?:the )?(?:[a-z]{1,12} )?|\[sudo\] )(?:pass ?(?:phrase|word|code)|pin) for )"
    r"(?:[a-z]{1,12} ){0,2}\S{1,300}: {0,2}(?P<value>[^\s\"'\\<&][^\s\"'\\<]{3,200})(?=\s*$|\s?[\"'\\<&])"
)
"""What somebody typed after a prompt, where the terminal or a script wrote it down; a message is several words."""
_ON_SWITCHES = regex(
    r"(?:\b(?:enable|username \S{1,60}(?: privilege \d{1,2})?) (?:secret|password) \d{1,2}"
    r"|(?:tacacs|radius)-server key(?: \d)?)"
    r" (?P<value>(?!<redacted:)\S{4,200})"
)
_SUBSTITUTED = regex(
    r"(?P<name>[\w.-]{1,100})=[\"']?\$(?:\((?:echo|printf)(?: -n| %s)? {1,4}[\"']?|\{\w{1,100}:?[-=])"
    r"(?P<value>(?!<redacted:)[^\s\"'(){}]{4,400})"
)
"""A shell's default, or a value that goes through ``echo``."""
OTHER_LANGUAGES = tuple(word for word in _IN_OTHER_LANGUAGES if not word.isascii())
_SHAPES = (
    *((mark, _FOREIGN, "password") for mark in _IN_OTHER_LANGUAGES),
    (" key ", _UNSEAL, "key"),
    ("enter ", _PROMPT, "password"),
    ("[sudo]", _PROMPT, "password"),
    ("enable ", _ON_SWITCHES, "password"),
    ("username ", _ON_SWITCHES, "password"),
    ("-server key", _ON_SWITCHES, "password"),
    ("=$", _SUBSTITUTED, "password"),
    ('="$', _SUBSTITUTED, "password"),
    ("sig", _SIGNED, "signature"),
    ("jdbc:", _ORACLE, "password"),
    ("://", _TOKEN_IN_ADDRESS, "token"),
    ("bearer", _BEARER, "token"),
)
"""A mark that a line must hold, in small letters; the pattern; the kind."""


def redact_shapes(text: str, removed: Counter[str]) -> str:
    """One line with everything of a known form replaced."""
    low = text.lower()
    if "://" in text:
        text = _PASSWORD_IN_ADDRESS.sub(lambda match: _address(match, removed), text)
    if has_form(text, low):
        text = KEYS.sub(lambda _: replace_with("key", removed), text)
    if "wandb" in low:
        text = _WANDB.sub(lambda match: _wandb(match, removed), text)
    for mark, pattern, kind in _SHAPES:
        if mark in low:
            text = _sub_value(pattern, kind, text, removed)
    return text


def _address(match: re.Match[str], removed: Counter[str]) -> str:
    """A password before ``@``, unless it is the port of a host, with a path that holds an ``@``."""
    value = match["value"]
    port = value.rpartition("]:")[2] if match["user"][:1] == "[" else value
    if _PORT.fullmatch(port) is not None and (port != value or "/" in value or "." in match["user"] or len(port) < 3):
        return match[0]
    return match[0][: -len(value) - 1] + replace_with("password", removed) + "@"


def _wandb(match: re.Match[str], removed: Counter[str]) -> str:
    if _REVISION.search(match["between"]) is not None:
        return match[0]
    return match[0][: -len(match["value"])] + replace_with("key", removed)


def _sub_value(pattern: re.Pattern[str], kind: str, text: str, removed: Counter[str]) -> str:
    def put(match: re.Match[str]) -> str:
        if "name" in match.re.groupindex and not is_secret_name(match["name"]):
            return match[0]
        begin, end = match.start("value") - match.start(), match.end("value") - match.start()
        return match[0][:begin] + replace_with(kind, removed) + match[0][end:]

    return pattern.sub(put, text)
