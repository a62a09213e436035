"""Values that go on in the lines after their name: block scalars, lists, quotes over several lines, ``netrc``."""

from __future__ import annotations

import re
from collections import Counter

from slowlink.patterns import regex
from slowlink.redact.command_lines.arguments import SENT
from slowlink.redact.harmless import looks_secret
from slowlink.redact.issuers.own_writings import RESET
from slowlink.redact.names import SECRET_NAME, is_secret_name, kind_of
from slowlink.redact.over_lines.leads import looks_like_lead, split_lead
from slowlink.redact.over_lines.left import MEMBERS, NOTHING_LEFT, Left
from slowlink.redact.over_lines.openings import GoesOn
from slowlink.redact.reading.held import ask_for
from slowlink.redact.replaced import REPLACED, replace_with, replaced
from slowlink.redact.value_ends.gaps import NUMBERED
from slowlink.redact.value_ends.phrases import end_of_scalar
from slowlink.redact.value_ends.quotes import quote_at
from slowlink.redact.values import redact_items

_RECORD = regex(
    r"(?:\S{1,100}:\d{1,10}:\d{1,10} |\[\d{1,6},\d{1,6}\]<|\d{4}-\d\d-\d\d[T ]\d\d:|[A-Z][a-z]{2} [ \d]\d \d\d:"
    r"|\[\s{0,8}\d{1,9}\.\d{6}\]|#|\s{0,20}\d{1,20}(?:\s{1,20}[\w.-]{1,20}){4})"
)
"""The beginning of a line that a program logs: no value of a document reaches over it."""
_PAIR = regex(r"\s{0,60}(?:- )?[\"']?[\w./-]{1,100}[\"']?\s{0,4}(?:[:=]\s|[:=]$|:\s{0,4}[\"'{\[])")
_ITEM = regex(r"(?P<lead>\s{0,60}-\s{1,4})(?P<value>\S[^\n]{0,8000})")
_WORD = regex(
    rf"\s{{0,60}}(?:-\s{{1,4}}|{NUMBERED})?"
    r"(?P<quote>[\"']?)(?P<value>[^\s\"',](?:[^\s\"',]|,(?![\s\"']|$)){0,4000})"
)
_OTHER = regex(r"\s*(?:[\w.-]{1,100}=(?=[\w\s\"'/.$:~-]|$)|[-#;{\[(])")
"""What is no value: a variable, a remark, a bracket."""
_NETRC = regex(
    r"(?:(?<![\w-])|(?<=^-))(?:(?:machine\s{1,4}\S{1,253}|default)(?:\s{1,4}login\s{1,4}\S{1,100})?|login\s{1,4}\S{1,100})\s{0,4}$"
)
_NETRC_PASSWORD = regex(r"(?P<lead>\s{0,20}(?:password|passwd)\s{1,4})(?P<value>\S{1,400})")
_NETRC_NAME = regex(r"\s{0,20}(?:password|passwd)\s*")
_ACCOUNTS = regex(r"(?:(?<![\w-])|(?<=^-))[\"']?chpasswd[\"']?:\s*$")
_ACCOUNT = regex(r"(?P<lead>\s{1,60}(?:- )?[\"']?[a-z_][\w.-]{0,60}:)(?P<value>[^\s:\"']\S{0,400})\s*$")
"""What cloud-init gives to chpasswd(8): a name, a colon and the password, on lines of their own."""
_VARIABLE = regex(r"(?:(?<![\w-])|(?<=^-))(?:variable|output)\s{1,4}\"(?P<name>[\w.-]{1,100})\"\s{0,4}\{\s*$")
_DEFAULT = regex(
    r"\s{1,40}(?:default\s{0,20}=\s{0,4}(?:\"(?P<value>[^\"\n]{1,4000})|(?P<bare>[^\s\"]{1,4000}))"
    r"|value\s{0,20}=\s{0,4}\"(?P<shown>[^\"\n]{1,4000}))"
)
"""A variable of Terraform has its value in a line of its block; an output, too, where it is no reference."""
_EXPLICIT = regex(r"\s{0,60}(?:- )?\?\s{1,4}[\"']?(?P<name>[\w./-]{1,100})[\"']?\s*$")
_EXPLICIT_VALUE = regex(r"(?P<lead>\s{0,60}:\s{1,4})(?P<value>\S[^\n]{0,8000})")
"""YAML's explicit key (``? name``), whose value stands behind a colon on the next line."""
_ASKED = regex(r"(?i:\bexpect\b[^\n]{0,100}?ass(?:word|phrase|code))[^\n]{0,40}$")
_SENT = regex(SENT)
"""What expect(1) sends after it was asked for a password."""
_MEMBER = regex(
    rf"(?P<lead>\s{{0,60}}[\"']?{MEMBERS}[\"']?\s{{0,4}}[:=]\s{{0,4}})"
    r"(?P<value>\"(?:[^\"\\]|\\.)*\"?|'[^']*'?|[^\s,{}\[\]\"'](?:[^\s,}]|[,}](?!\s|$))*)"
)
_BESIDE = regex(r"\s{0,60}[\"']?[\w.-]{1,100}[\"']?\s{0,4}[:=]\s{0,4}[^\s{}\[\]][^{}]*$")
"""Another member of a mapping, on a line of its own."""
_ANNOUNCED = regex(
    r"(?i:\b(?:following|initial|generated|temporary|new|default|one-time)(?: [a-z]{1,12}){0,2} "
    rf"(?:password|passphrase|passcode|secret)(?: [a-z]{{1,14}}){{0,6}}|\b{RESET}):\s*$"
)
"""What an installation says of a password that it has made, which stands alone on the next line (Jenkins, Argo CD)."""
_ALONE = regex(r"\s{0,20}(?P<value>[^\s\"'<>]{6,200})\s*$")
_CHALLENGE = regex(r"(?:\b334|\(334\))\W.{0,20}?\bUGFzc3dvcmQ6?\b={0,2}")
_ANSWER = regex(
    r"(?:^|(?<=[\s\"'>]))(?P<value>(?:[A-Za-z\d+/]{4}){0,100}(?:[A-Za-z\d+/]{4}|[A-Za-z\d+/]{3}=|[A-Za-z\d+/]{2}==))(?=\s*$|\\r|[\"'])"
)
"""What SMTP's server asks (``Password:`` in Base64), and what the client says to it. Source: RFC 4954, AUTH LOGIN."""
_ASKED_OF = regex(
    r"(?<![\w-])(?:kinit|passwd|chpasswd|cryptsetup|sudo\s[^|;&<]{0,40}-\w{0,4}S)(?![\w-])[^|;&<]{0,100}"
    r"<<[-~]?\s{0,4}\\?[\"']?(?P<end>[A-Za-z_]\w{0,40})[\"']?\s*$"
)
"""A program that asks for a password, and a here-document that answers."""
_OPENS = ask_for(
    ("ugfzc3dvcmq", "chpasswd", "<<", "variable", "output", "login", "machine", "default", "?", "ass", "expect")
)
_BEFORE_SIGN = regex(r"(?<![\w.-])(?P<name>[\w.-]{1,100})\s{1,20}\\\s*$")
_LONGEST_BEFORE_SIGN = 160
_BEHIND_SIGN = regex(
    r"\s{0,80}(?P<sign>[=:]\s{0,20})?(?P<value>[^\s=:\\](?:[^\n]{0,8000}?[^\s\\])?)\s{0,20}(?P<on>\\)?\s*$"
)
"""A name of Java's properties at the end of a line that goes on, and its value on the next. Source: ``Properties.load``
of Java: white space parts them, too."""
_VALUES = (
    "divided",
    "literal",
    "mapping",
    "accounts",
    "block",
    "next",
    "deeper",
    "items",
    "array",
    "quote",
    "here",
    "argument",
)


class FollowingValues:
    """Replaces what earlier lines have announced, in lines without their leads."""

    def __init__(self, removed: Counter[str]) -> None:
        self._removed = removed
        self.ways: dict[str, GoesOn] = {"default": self._default, "netrc": self._netrc, "send": self._sent}
        self.ways["answer"] = self._answered
        self.ways["announced"] = self._announced
        self.ways["explicit"] = self._explicit
        self.ways["netrc value"] = self._netrc_value
        self.ways |= dict.fromkeys(_VALUES, self._value)

    def opening(self, text: str, words: int) -> Left:
        """What a line opens by its own form, whatever is said in it. ``words``: what ``held`` says of it."""
        if words & SECRET_NAME and text.endswith("\\") and (divided := _divided(text)) is not None:
            return divided
        if not words & _OPENS:
            return NOTHING_LEFT
        if "UGFzc3dvcmQ" in text and _CHALLENGE.search(text) is not None:
            return Left("answer", "password", at=len(split_lead(text)[0]))
        if "chpasswd" in text and (accounts := _ACCOUNTS.search(text)) is not None:
            return Left("accounts", "password", at=accounts.start(), plain=_begins(text, accounts.start()))
        if "<<" in text and (asked := _ASKED_OF.search(text)) is not None:
            at = asked.start()
            return Left("here", "password", quote=asked["end"], at=at, plain=_begins(text, at))
        if ("variable" in text or "output" in text) and (variable := _VARIABLE.search(text)) is not None:
            is_secret = is_secret_name(variable["name"])
            way = "default" if is_secret else ""
            return Left(way, at=variable.start(), plain=_begins(text, variable.start()))
        if ("login" in text or "machine" in text or "default" in text) and (netrc := _NETRC.search(text)) is not None:
            return Left("netrc", "password", at=netrc.start(), plain=_begins(text, netrc.start()))
        if "?" in text and (explicit := _EXPLICIT.match(text)) is not None and is_secret_name(explicit["name"]):
            return Left("explicit", kind_of(explicit["name"]))
        if "ass" in text and _ANNOUNCED.search(text) is not None:
            return Left("announced", "password", at=len(split_lead(text)[0]), told=("announced",), plain=True)
        if "expect" in text and (asked := _ASKED.search(text)) is not None:
            return Left("send", "password", at=asked.start())
        return NOTHING_LEFT

    def _netrc(self, text: str, left: Left) -> tuple[str, Left]:
        if _NETRC_NAME.fullmatch(text) is not None:  # white space of any kind stands between them
            return text, left._replace(way="netrc value")
        return self._replaced(text, _NETRC_PASSWORD.match(text), left.kind), NOTHING_LEFT

    def _netrc_value(self, text: str, left: Left) -> tuple[str, Left]:
        return self._replaced(text, _WORD.match(text), left.kind), NOTHING_LEFT

    def _explicit(self, text: str, left: Left) -> tuple[str, Left]:
        return self._replaced(text, _EXPLICIT_VALUE.match(text), left.kind), NOTHING_LEFT

    def _sent(self, text: str, left: Left) -> tuple[str, Left]:
        match = _SENT.search(text)
        return self._replaced(text, match, left.kind), left if match is None else NOTHING_LEFT

    def _answered(self, text: str, left: Left) -> tuple[str, Left]:
        """The next line of the dialogue; what a program says of the reply stands between."""
        if _CHALLENGE.search(text) is not None or "UGFzc3dvcmQ" in text:
            return text, left
        match = _ANSWER.search(text)
        return self._replaced(text, match, left.kind), left if match is None else NOTHING_LEFT

    def _announced(self, text: str, left: Left) -> tuple[str, Left]:
        """The next line that is not empty, where it is one word and mixed as passwords are."""
        if not text.strip():
            return text, left
        match = _ALONE.match(text)
        is_one = match is not None and looks_secret(match["value"])
        return self._replaced(text, match if is_one else None, left.kind), NOTHING_LEFT

    def _default(self, text: str, left: Left) -> tuple[str, Left]:
        """A line of a variable's block: its default is replaced."""
        match = _DEFAULT.match(text)
        ended = match is not None or text.lstrip().startswith("}")
        return self._replaced(text, match, left.kind), NOTHING_LEFT if ended else left

    def _replaced(self, text: str, match: re.Match[str] | None, kind: str) -> str:
        if match is None:
            return text
        begin, end = match.span(match.lastgroup or "value")
        return text[:begin] + replaced(text[begin:end], kind, self._removed) + text[end:]

    def _value(self, text: str, left: Left) -> tuple[str, Left]:
        """A line of a value."""
        if not text.strip():
            return text, left
        if _RECORD.match(text.removeprefix(" ")) is not None:
            return text, NOTHING_LEFT
        return getattr(self, "_" + left.way)(text, left)  # type: ignore[no-any-return]

    def _block(self, text: str, left: Left) -> tuple[str, Left]:
        return (self._whole(text, left), left) if _indent(text) > left.indent else (text, NOTHING_LEFT)

    def _next(self, text: str, left: Left) -> tuple[str, Left]:
        """The value of a name that ended its line: deeper, or in quotes; a list; or no value but a mapping."""
        bare = text.strip()
        if bare[0] == "-" and _indent(text) >= left.indent:
            return self._items(text, left._replace(way="items"))
        if left.told == ("announced",) and _indent(text) <= left.indent:
            return self._announced(text, left)
        if (_indent(text) <= left.indent and bare[0] not in "\"'") or bare[0] == "{" or bare.startswith("- "):
            return text, NOTHING_LEFT
        if bare[0] in "[(":
            return self._array(text, left._replace(way="array"))
        if _PAIR.match(text) is not None:
            return self._mapping(text, left._replace(way="mapping"))
        if bare[0] in "\"'":
            put, _, _ = redact_items(text, 0, left.kind, left.weak, self._removed)
            return put, NOTHING_LEFT
        return self._whole(text, left), left._replace(way="block")

    def _deeper(self, text: str, left: Left) -> tuple[str, Left]:
        """The value of ``name =`` in INI: one word in the next line, deeper. Variables without a value stand alike."""
        is_value = _indent(text) > left.indent and len(text.split()) == 1 and _PAIR.match(text) is None
        return (self._whole(text, left) if is_value and _OTHER.match(text) is None else text), NOTHING_LEFT

    def _literal(self, text: str, left: Left) -> tuple[str, Left]:
        """What a wrapper holds whose bracket ended the line before; a call's arguments stand there, too."""
        if text.lstrip()[0] not in "\"'":
            return text, NOTHING_LEFT
        put, _, _ = redact_items(text, 0, left.kind, left.weak, self._removed)
        return put, NOTHING_LEFT

    def _divided(self, text: str, left: Left) -> tuple[str, Left]:
        """A sign and a value whose name ended the line before, or what is mixed as a secret is; and the rest of one."""
        match = _BEHIND_SIGN.match(text)
        if match is None or (match["sign"] is not None and left.told):
            return text, NOTHING_LEFT
        if match["sign"] is None and " " in match["value"]:
            return text, NOTHING_LEFT  # of a sentence
        begin, end = match.span("value")
        put = replaced(match["value"], left.kind, self._removed, weak=match["sign"] is None and not left.told)
        is_one = put != match["value"] or REPLACED.fullmatch(put) is not None
        goes_on = left._replace(told=("value",)) if match["on"] is not None and is_one else NOTHING_LEFT
        return text[:begin] + put + text[end:], goes_on

    def _mapping(self, text: str, left: Left) -> tuple[str, Left]:
        """A line of a mapping that says more of a secret than its value."""
        if (match := _MEMBER.match(text)) is not None:
            begin, end = match.span("value")
            if match["value"][0] in "\"'":
                put, _, _ = redact_items(text[begin:end], 0, left.kind, left.weak, self._removed)
            else:
                end = end_of_scalar(text, end) if ":" in match["lead"] and text[end:][:1] != "," else end
                put = replaced(text[begin:end], left.kind, self._removed, weak=left.weak)
            return text[:begin] + put + text[end:], NOTHING_LEFT
        return text, left if _BESIDE.match(text) is not None else NOTHING_LEFT

    def _items(self, text: str, left: Left) -> tuple[str, Left]:
        match = _ITEM.match(text)
        if match is None or len(match["lead"]) <= left.indent or _PAIR.match(text) is not None:
            return text, NOTHING_LEFT
        put, _, _ = redact_items(match["value"], 0, left.kind, left.weak, self._removed)
        return match["lead"] + put + text[match.end() :], left

    def _array(self, text: str, left: Left) -> tuple[str, Left]:
        begin = text.find("[") + 1 if text.lstrip().startswith("[") else 0
        put, stop, closed = redact_items(text, begin, left.kind, left.weak, self._removed)
        return text[:begin] + put + text[stop:], NOTHING_LEFT if closed else left

    def _quote(self, text: str, left: Left) -> tuple[str, Left]:
        end = text.find(left.quote)
        while end > 0 and text[end - 1] == "\\":
            end = text.find(left.quote, end + 1)
        inside = text if end < 0 else text[:end]
        if not inside.strip():
            return text, left if end < 0 else NOTHING_LEFT
        return self._whole(inside, left) + text[len(inside) :], left if end < 0 else NOTHING_LEFT

    def _here(self, text: str, left: Left) -> tuple[str, Left]:
        """A line of a here-document, up to the word that ends it."""
        return (text, NOTHING_LEFT) if text.strip(" \t\r;,)") == left.quote else (self._whole(text, left), left)

    def _accounts(self, text: str, left: Left) -> tuple[str, Left]:
        """A line below ``chpasswd:``."""
        if _indent(text) <= left.indent:
            return text, NOTHING_LEFT
        if (match := _ACCOUNT.match(text)) is None:
            return text, left
        begin, end = match.span("value")
        return text[:begin] + replaced(text[begin:end], left.kind, self._removed) + text[end:], left

    def _argument(self, text: str, left: Left) -> tuple[str, Left]:
        match = _WORD.match(text)
        if match is None or match["value"].startswith("-"):
            return text, NOTHING_LEFT
        begin, end = match.span("value")
        put = replaced(text[begin:end], left.kind, self._removed)
        if put != match["value"]:
            end = _end_of_argument(text, match, is_item="item" in left.told)
        return text[:begin] + put + text[end:], NOTHING_LEFT

    def _whole(self, text: str, left: Left) -> str:
        bare = text.strip()
        if REPLACED.fullmatch(bare) or (left.weak and replaced(bare, left.kind, Counter(), weak=True) == bare):
            return text
        lead = text[: len(text) - len(text.lstrip())]
        return lead + replace_with(left.kind, self._removed) + text[len(text.rstrip()) :]


def _end_of_argument(text: str, word: re.Match[str], *, is_item: bool) -> int:
    """Where an argument ends whose first word this is: at its quote, or as an item of YAML at the line's end."""
    end = word.end("value")
    if word["quote"]:
        quote = quote_at(text, word.start("quote"))
        return quote.end if quote is not None and quote.closed else end
    return end_of_scalar(text, end) if is_item else end


def _divided(text: str) -> Left | None:
    """What a line opens that ends in a secret's name and a backslash."""
    name = _BEFORE_SIGN.search(text, max(0, len(text) - _LONGEST_BEFORE_SIGN))
    if name is None or not is_secret_name(name["name"]) or not looks_like_lead(text, name.start()):
        return None
    return Left("divided", kind_of(name["name"]), at=name.start("name"), plain=_begins(text, name.start()))


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip(" \t"))


def _begins(text: str, at: int) -> bool:
    return not text[:at].strip()
