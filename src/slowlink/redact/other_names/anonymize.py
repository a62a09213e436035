"""Replaces names of hosts, addresses, people and jobs by others, alike everywhere: the analysis stays the same."""

from __future__ import annotations

import re
from collections.abc import Iterable

from slowlink.nodes import fold
from slowlink.patterns import regex
from slowlink.redact.other_names.addresses import Addresses

LARGEST_SET = 20_000
_ANCHOR = regex(
    r"(?:^|[\s>\]|:])(?P<host>[A-Za-z\d][\w.-]{0,252}):\d{1,10}:\d{1,10}(?: \[-?\d{1,6}\])? .{0,200}?[NRM]CCL "
)
_DEVICE = regex(r"\bRank +\d{1,7} .{0,60}? on +(?P<host>[A-Za-z\d][\w.-]{0,252}) device ")
_PAIRS = r"(?:[\dA-Fa-f]{2}:){5,19}[\dA-Fa-f]{2}"
_OTHER_MACS = (
    r"(?<![\w.-])(?=[\d.-]{0,16}[A-Fa-f])"
    r"(?:(?:[\dA-Fa-f]{2}-){5}[\dA-Fa-f]{2}|(?:[\dA-Fa-f]{4}\.){2}[\dA-Fa-f]{4})(?![\w-]|\.\w)"
)
"""With dashes, and in threes as switches have them; one without a letter may be a time or a version."""
_USERS = (
    r"(?:/home/|/Users/|\b(?:(?:USER|LOGNAME|SLURM_JOB_USER|UserId|GroupId)=|[Uu]ser(?:_?[Nn]ame)?[\"']?(?:=|:\s{0,2})[\"']?"
    r"|USER[\"']?:\s{0,2}[\"']?|(?:[er]?[ug]id|groups)=\d{1,10}\())"
)
_NAMES = regex(
    r"(?P<set>(?<![\w.-])[A-Za-z][\w.-]{0,100}\[[\d,-]{1,1000}\][\w.-]{0,100})"
    r"|(?P<guid>(?<!commId )\b0x[\dA-Fa-f]{16}\b|(?<![\w:.])(?:[\dA-Fa-f]{4}:){3}[\dA-Fa-f]{4}(?![\w:]))"
    rf"|(?P<mac>(?<![\w:.]){_PAIRS}(?![\w:])|{_OTHER_MACS})"
    r"|(?P<interface>(?<![\w.:])(?![Ff][Ee]80:)[A-Za-z][\w.-]{0,15}:)(?P<behind>(?:[\dA-Fa-f]{0,4}:){2,7}[\dA-Fa-f]{0,4})(?=[%<])"
    r"|(?P<v6>(?<![\w:.])(?:[\dA-Fa-f]{0,4}:){2,7}(?:\d{1,3}(?:\.\d{1,3}){3}|[\dA-Fa-f]{0,4})(?![\w:]))"
    r"|(?P<v4>(?<![\w.])(?<!version )(?:\d{1,3}\.){3}\d{1,3}(?!\.?\w))"
    rf"|(?P<labelled>{_USERS}[A-Za-z_][\w.-]{{0,63}})"
    r"|(?P<job>(?:\b(?:SLURM_JOB_NAME|JobName)=|--job-name[= ])[\w.-]{1,100})"
    r"|(?P<account>(?:\b(?:SLURM_JOB_ACCOUNT|Account)=|--account[= ])[\w.-]{1,100})"
    r"|(?P<token>[A-Za-z\d][\w-]*(?:\.[A-Za-z\d][\w-]*)*)"
)
_LABEL = regex(rf"(?:{_USERS}|[A-Za-z_-]+[= ])")
_WORDS = frozenset(
    {"localhost", "localhost.localdomain", "node", "nodes", "host", "hosts", "rank", "gpu", "none", "unknown"}
)
_SEGMENT = regex(r"[^_-]+|[_-]+")
_MOST_REMEMBERED = 200_000
_MOST_LABELS = 12
"""Of a name of DNS, among which a domain is looked for."""


class Anonymizer:
    """One mapping for a whole bundle: ``host-001`` ..., ``user-1`` ..., ``job-1`` ..., ``account-1`` ..., addresses of
    the same kind.

    Hosts are those that were named, and those that NCCL's and nccl-tests' own lines name. A name that is a plain
    number or a common word is never taken for a host.
    """

    def __init__(self, hosts: Iterable[str] = (), users: Iterable[str] = (), jobs: Iterable[str] = ()) -> None:
        self._hosts: dict[str, str] = {}
        self._domains: dict[str, str] = {}
        self._users: dict[str, str] = {}
        self._jobs: dict[str, str] = {}
        self._accounts: dict[str, str] = {}
        self._small: dict[str, str] = {}
        """Hosts with a number in their name, in small letters: such a name is no word, however it is written."""
        self._addresses = Addresses()
        self._tokens: dict[str, str] = {}
        self.learn_hosts(hosts)
        for user in users:
            self._number(self._users, user, "user-")
        for job in jobs:
            self._number(self._jobs, job, "job-")

    def learn_hosts(self, hosts: Iterable[str]) -> None:
        """These are names of hosts, short or with their domain."""
        for host in hosts:
            short, _, domain = host.partition(".")
            if not short or short.isdecimal() or _is_address(host) or host.lower() in _WORDS or short.lower() in _WORDS:
                continue
            if short not in self._hosts:
                self._hosts[short] = f"host-{len(self._hosts) + 1:03d}"
                self._tokens.clear()
                if any(mark.isdecimal() for mark in short):
                    self._small.setdefault(short.lower(), self._hosts[short])
            if domain:
                self._learn_domain(domain)

    def _learn_domain(self, domain: str) -> None:
        """A domain, and those above it but for the last label, which says nothing of whose it is."""
        while domain not in self._domains:
            self._number(self._domains, domain, "domain-")
            self._tokens.clear()
            above = domain.partition(".")[2]
            domain = above if "." in above else domain

    def line(self, text: str) -> str:
        """``text`` with every name replaced."""
        if "CCL " in text:
            self.learn_hosts(match["host"] for match in _ANCHOR.finditer(text))
        elif " device " in text:
            self.learn_hosts(match["host"] for match in _DEVICE.finditer(text))
        return _NAMES.sub(self._replace, text)

    def mapping(self) -> dict[str, dict[str, str]]:
        """What stands for what, by kind. No bundle holds it."""
        return {
            "hosts": dict(self._hosts),
            "domains": dict(self._domains),
            "users": dict(self._users),
            "jobs": dict(self._jobs),
            "accounts": dict(self._accounts),
            "addresses": dict(self._addresses.known),
        }

    def _replace(self, match: re.Match[str]) -> str:
        kind, text = match.lastgroup, match[0]
        if kind == "token":
            return self._token(text, match.string[: match.start()][-1:], match.string[match.end() : match.end() + 1])
        if kind == "set":
            return self._set(text)
        if kind in ("guid", "mac"):
            return self._addresses.identifier(text)
        if kind == "behind":
            name = self._token(match["interface"][:-1], "", "")
            return f"{name}:{self._addresses.v6(match['behind']) or match['behind']}"
        if kind in ("labelled", "job", "account"):
            label = _LABEL.match(text)
            cut = label.end() if label else 0
            names, prefix = {
                "labelled": (self._users, "user-"),
                "job": (self._jobs, "job-"),
                "account": (self._accounts, "account-"),
            }[kind]
            return text[:cut] + self._number(names, text[cut:], prefix)
        if kind == "v6":
            # ``a::b`` without a digit is C++.
            found = self._addresses.v6(text) if any(mark.isdecimal() for mark in text) else None
        else:
            found = self._addresses.v4(text)
        return self._words(text) if found is None else found

    def _words(self, text: str) -> str:
        return re.sub(r"[A-Za-z\d][\w-]*", lambda word: self._token(word[0], "", ""), text)

    def _token(self, text: str, before: str, after: str) -> str:
        if text in self._users and (before in "/=" or after in ("@", "(")) and before + after:
            return self._users[text]
        if text in self._jobs:
            return self._jobs[text]
        made = self._tokens.get(text)
        if made is None:
            if len(self._tokens) > _MOST_REMEMBERED:
                self._tokens.clear()
            made = self._tokens[text] = self._host_in(text)
        return made

    def _host_in(self, text: str) -> str:
        """A host's name, also with its domain, behind digits that were glued to it, or between ``-`` and ``_``."""
        if text in self._domains:
            return self._domains[text]
        labels = text.split(".")
        for at in range(1, min(len(labels), _MOST_LABELS)):
            rest = ".".join(labels[at:])
            if rest in self._domains:
                return ".".join((*map(self._label, labels[:at]), self._domains[rest]))
        return ".".join(self._label(label) for label in text.split("."))

    def _label(self, text: str) -> str:
        if text in self._hosts:
            return self._hosts[text]
        if text.lower() in self._small:
            return self._small[text.lower()]
        bare = text.lstrip("0123456789")
        if bare in self._hosts:
            return text[: len(text) - len(bare)] + self._hosts[bare]
        segments = _SEGMENT.findall(text)[:40]
        for length in range(len(segments) - 1, 0, -1):
            for start in range(len(segments) - length + 1):
                part = "".join(segments[start : start + length])
                if part in self._hosts:
                    rest = "".join(segments[start + length :]) + text[len("".join(segments)) :]
                    return self._label("".join(segments[:start])) + self._hosts[part] + self._label(rest)
        return text

    def _set(self, text: str) -> str:
        """``node[01-04]``, when the first of it is known for a host."""
        names = _expand(text)
        if not names or (names[0].partition(".")[0] not in self._hosts):
            head, bracket, rest = text.partition("[")
            return self._words(head) + bracket + rest
        self.learn_hosts(names)
        return fold(self._host_in(name) for name in names)

    def _number(self, names: dict[str, str], name: str, prefix: str) -> str:
        if name in names.values():
            return name
        return names.setdefault(name, f"{prefix}{len(names) + 1}")


def _is_address(text: str) -> bool:
    return ":" in text or not text.strip("0123456789.")


def _expand(text: str) -> list[str]:
    """Names of ``node[01-04]``; none when it is no node set or too large a one."""
    head, _, rest = text.partition("[")
    inside, _, tail = rest.partition("]")
    names: list[str] = []
    for part in inside.split(","):
        first, dash, last = part.partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()) or len(first) > 9 or len(last) > 9:
            return []
        low, high = int(first), int(last or first)
        if high < low or len(names) + high - low >= LARGEST_SET:
            return []
        names += [f"{head}{number:0{len(first)}d}{tail}" for number in range(low, high + 1)]
    return names
