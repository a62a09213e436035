"""Secret arguments of known programs: ``mysql -pSECRET``, ``ipmitool -P SECRET``, ``echo SECRET | kinit``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from slowlink.patterns import regex
from slowlink.redact.harmless import gives_nothing, looks_secret
from slowlink.redact.programs import MARKS, PROGRAMS, Program
from slowlink.redact.replaced import REPLACED, replace_with
from slowlink.redact.runs import holds_any
from slowlink.redact.sql import MARKS as STATEMENTS
from slowlink.redact.sql import sql_spans
from slowlink.redact.switches import MARKS as SWITCHES
from slowlink.redact.switches import switch_spans

_WORD = regex(
    r"(?:\"(?:[^\"\\\n]|\\.){0,8000}\"|'[^'\n]{0,8000}'|\\.|,(?=[^\s\"'])|[^\s\0|;&<>\"'\\,\[\](){}])+|[|;&\n]|<{1,3}|>"
)
PROGRAM_NAMES = "(?:" + "|".join(sorted(map(str.lower, PROGRAMS), key=len, reverse=True)).replace(".", r"\.") + ")"
PROGRAM = regex(rf"(?<![\w.~])(?<!\w@){PROGRAM_NAMES}(?:,\d{{1,9}})?(?=[\s\0\"'])")
"""Anything may stand before a program that is no part of a name, of a file or of a host: whoever shows a command puts
there what he likes."""
_OF_NAMES = "_.-+"
"""What the name of a program is made of, and what stands before it there, beside letters and digits."""
_BEFORE_PROGRAM = regex(r"(?:(?:[\w.+-]{0,300}?-)??\d{1,9}-|(?:[\w.-]{1,40}?--)?[-+]{1,2})?")
"""What of it stands before a command without a blank: grep's file and number, diff's sign, the branch of a tree of
processes."""
_PROCESS = regex(r"(?<=[\w)]),\d{1,9}$")
"""``pstree -p`` says which process a program is."""
_AUDITED = regex(r"\ba\d{1,3}=(?:\"(?P<word>[^\"\n]*)\"|(?P<hex>(?:[\dA-F]{2}){1,4000})(?![\w]))")
"""The words of a command in auditd's records. Source: audit-userspace, the fields of EXECVE."""
_QUOTED = regex(r"\"(?P<double>(?:[^\"\\\n]|\\.)*)\"|'(?P<single>[^'\n]*)'")
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
    "-stdin",
    "realm",
    "setuser",
    "user ",
    *SWITCHES,
    *STATEMENTS,
    "expect",
)
"""In small letters; one of them is on each line on which something is secret here."""
_BLANK = regex(r"\s")
_MOST_WORDS = 60
_DEEPEST_QUOTE = 2
_PIPED = regex(
    r"\b(?:echo|printf)(?:\s{1,4}-[neE]{1,2}|\s{1,4}[\"']?%s(?:\\n)?[\"']?)?\s{1,4}(?P<quote>[\"']?)(?P<value>[^\s\"'|]{1,400})(?P=quote)"
    r"\s{0,4}\|\s{0,4}(?:sudo\s{1,4})?(?:kinit\b|sudo\s[^|]{0,40}-\w{0,4}S|chpasswd|passwd\s{1,4}--stdin"
    r"|[^|;&]{0,100}(?:--(?:pass|pw|token|secret|key|cred)[\w-]{0,30}stdin|--stdin-pass|--with-token|--passphrase-fd|-passin\s+stdin)"
    r"|cryptsetup\b|net\s{1,4}ads\b|realm\s{1,4}join\b)"
)
_HERE = regex(
    r"\b(?:kinit|sudo|chpasswd|cryptsetup|docker|podman|read|gh)\b[^|;&<]{0,100}<<<\s{0,4}[\"']?(?P<value>[^\s\"']{1,400})"
)
_NET_USE = regex(
    r"(?i:\bnet(?:\.exe)? use)(?: [A-Za-z*]:?)? {1,4}(?:\\\\\S{1,400}|\"\\\\[^\"\n]{1,400}\")(?: {1,4}/\S{1,200}){0,8}"
    r" {1,4}(?P<value>(?![/<>*&|;])[^\s\"']{1,400})"
)
"""The password stands behind the share, options or not between them. Source: Windows commands, net use."""
_NET_USER = regex(r"(?i:\bnet(?:\.exe)? user) {1,4}[^\s/\"']{1,104} {1,4}(?P<value>(?![/<>*&|;])[^\s\"'|;&]{1,127})")
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
_EXPECTED = regex(
    r"(?i:\bexpect\b[^\n]{0,400}?ass(?:word|phrase|code)[^\n]{0,100}?)\bsend\s{1,4}(?:--\s{1,4})?\\{0,3}[\"'{]?"
    r"(?P<value>[^\s\"'{}\\;$]{1,400})"
)
"""What expect(1) sends after it was asked for a password."""
_LITERAL = regex(r"--from-literal[=\s]{1,4}[\"']?[\w.-]{1,253}=(?P<value>[^\s\"']{1,4000})")


class Span(NamedTuple):
    """Where a secret is: in which word, from where to where, and what it is."""

    begin: int
    end: int


def redact_arguments(text: str, removed: Counter[str]) -> str:
    """One line with the secret arguments of known programs replaced."""
    low = text.lower()
    if not holds_any(low, _COMMANDS):
        return text
    spans = [
        Span(*match.span(match.lastgroup if match.lastgroup not in (None, "quote") else "value"))
        for pattern in (_PIPED, _HERE, _LITERAL, _NET_USE, _NET_USER, _SQL, _SET_PASSWORD, _ACL, _EXPECTED)
        for match in pattern.finditer(text)
    ]
    spans += map(Span._make, switch_spans(text, low))
    spans += map(Span._make, sql_spans(text, low))
    spans += argument_spans(text)
    return redact_spans(text, spans, removed)


def argument_spans(text: str) -> list[Span]:
    """Where the secret arguments of known programs stand on a line."""
    if PROGRAM.search(text.lower()) is None:
        return []
    spans = _in_commands(_AROUND_LIST.sub(" ", text), 0, len(text), 0)
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


def redact_spans(text: str, spans: Sequence[Span], removed: Counter[str]) -> str:
    """``text`` with what stands there replaced, where it gives something away."""
    out: list[str] = []
    at = 0
    for begin, end in sorted(set(spans)):
        value = text[begin:end]
        if begin >= at and value and not REPLACED.fullmatch(value) and not gives_nothing(value, "password"):
            out += [text[at:begin], replace_with("password", removed)]
            at = end
    return "".join((*out, text[at:]))


def secret_words(words: Sequence[str]) -> dict[int, tuple[int, int]]:
    """Index of each word that holds a secret, and where in it: for a command line that is in words already."""
    found: dict[int, tuple[int, int]] = {}
    starts: list[int] = []
    for at, word in enumerate(words):
        # A file may have the name of the program that reads it.
        if _program(word) in PROGRAMS and not (starts and _program(word) == _program(words[starts[-1]])):
            starts.append(at)
    for start, end in zip(starts, (*starts[1:], len(words)), strict=False):
        for program in PROGRAMS[_program(words[start])]:
            found.update(_arguments(program, words[start + 1 : min(end, start + _MOST_WORDS)], start + 1))
    return found


def _program(word: str) -> str:
    """The program that a word names: without its path, what is around it in a list, and what shows its line."""
    name = _PROCESS.sub("", word.strip("\"'`()[]{}\\,:")).rpartition("/")[2].lower()
    if name in PROGRAMS or (word[:1] == "-" and "=" in word):  # what an option of another program is set to
        return name
    at = len(name)
    while at and (name[at - 1].isalnum() or name[at - 1] in _OF_NAMES):
        at -= 1
    if name[at - 1 : at] == "~" or (name[at - 1 : at] == "@" and name[: at - 1][-1:].isalnum()):
        return name  # a person's directory, a host
    shown = _BEFORE_PROGRAM.match(name, at)
    return name[shown.end() :] if shown is not None else name[at:]


def _in_commands(text: str, begin: int, end: int, depth: int) -> list[Span]:
    """Secrets in the commands of a text, also of those in quotes (``sh -c "..."``)."""
    found: list[Span] = []
    command: list[Span] = []
    for match in _WORD.finditer(text, begin, end):
        word = match[0]
        if word[0] in "|;&\n<>":
            found += _in_command(text, command)
            command = []
            continue
        start, stop = match.span()
        for quoted in _QUOTED.finditer(text, start, stop):
            inside = Span(*quoted.span(quoted.lastgroup or 0))
            if depth < _DEEPEST_QUOTE and _BLANK.search(text, inside.begin, inside.end) is not None:
                found += _in_commands(text, inside.begin, inside.end, depth + 1)
        if word[0] in "\"'" and word.endswith(word[0]) and len(word) > 1:
            start, stop = start + 1, stop - 1
        command.append(Span(start, stop))
    return found + _in_command(text, command)


def _in_command(text: str, words: list[Span]) -> list[Span]:
    inside = secret_words([text[word.begin : word.end] for word in words])
    return [Span(words[at].begin + begin, words[at].begin + end) for at, (begin, end) in inside.items()]


def _arguments(program: Program, words: Sequence[str], first: int) -> dict[int, tuple[int, int]]:
    """Where among ``words``, the arguments, a secret is; indexes count from ``first``."""
    begin = _after_needs(words, program.needs) if program.needs else 0
    if begin < 0:
        return {}
    found: dict[int, tuple[int, int]] = {}
    for at in range(0 if program.needs.startswith("-") else begin, len(words)):
        span = _secret_in(program, words[at], words[at - 1] if at else "")
        if span is not None:
            found[first + at] = span
    if program.last:
        plain = [at for at in range(begin, len(words)) if not words[at].startswith("-")]
        if len(plain) >= program.last:
            found[first + plain[-1]] = (0, len(words[plain[-1]]))
    if program.nth:
        counted = [
            at
            for at in range(begin, len(words))
            if not words[at].startswith("-") and (at == begin or words[at - 1] not in program.skips)
        ]
        if len(counted) >= program.nth:
            at = counted[program.nth - 1]
            begins = words[at].find(program.inside) + 1 if program.inside else 0
            if not program.inside or (begins > 1 and words[at][0] != "@"):  # "/ as sysdba", "@script.sql"
                found[first + at] = _bare(words[at], begins)
    return found


def _after_needs(words: Sequence[str], needs: str) -> int:
    """Index behind the words that are needed; -1 where they are not there."""
    needed = needs.split()
    for at in range(len(words) - len(needed) + 1):
        if all(map(_is_needed, words[at : at + len(needed)], needed)):
            return at + len(needed)
    return -1


def _is_needed(word: str, needs: str) -> bool:
    """``-b`` may be one of several letters: ``-bc``; ``//*`` is any word that begins so."""
    if needs.endswith("*"):
        return word.startswith(needs[:-1])
    return word.lower() == needs or (
        needs.startswith("-") and word[:1] == "-" and word[:2] != "--" and needs[1] in word
    )


def _secret_in(program: Program, word: str, before: str) -> tuple[int, int] | None:
    if before in program.apart and not word.startswith("-"):
        return 0, len(word)
    for option in program.glued:
        if word.startswith(option) and len(word) > len(option):
            return _bare(word, len(option))
    bundled = _bundled(program, word)
    for option in program.pairs:
        if before == option or (_bundled(program, before) > 1 and "-" + before[_bundled(program, before) :] == option):
            begin = 0
        elif word.startswith(option) and word != option:
            begin = len(option)
        elif bundled > 1 and "-" + word[bundled : bundled + 1] == option and len(word) > bundled + 1:
            begin = bundled + 1
        else:
            continue
        mark = word.find(program.between, begin)
        if mark == len(word) - 1 and mark - begin > 15 and looks_secret(word[begin:mark]):
            return begin, mark  # a key is the name of the user, and there is no password
        if mark >= 0 and not (word[mark + 1 :].isdecimal() and word[begin:mark].lstrip("=").isdecimal()):
            return _bare(word, mark + 1)
    return None


def _bundled(program: Program, word: str) -> int:
    """How many characters of ``word`` are a dash and letters without a value; 1 when none is."""
    if not program.flags or word[:1] != "-" or word[:2] == "--":
        return 1
    return len(word) - len(word[1:].lstrip(program.flags))


def _bare(word: str, begin: int) -> tuple[int, int]:
    """Without the quotes around a part of a word."""
    end = len(word)
    if end - begin > 2 and word[begin] in "\"'" and word[end - 1] == word[begin]:
        return begin + 1, end - 1
    return begin, end
