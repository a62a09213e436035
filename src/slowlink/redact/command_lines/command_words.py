"""Which words of a command are secret, as the table of programs says (``programs``)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from slowlink.patterns import regex
from slowlink.redact.command_lines.programs import PROGRAMS, Program
from slowlink.redact.harmless import looks_secret

_OF_NAMES = "_.-+"
"""What the name of a program is made of, and what stands before it there, beside letters and digits."""
_BEFORE_PROGRAM = regex(r"(?:(?:[\w.+-]{0,300}?-)??\d{1,9}-|(?:[\w.-]{1,40}?--)?[-+]{1,2})?")
"""What of it stands before a command without a blank: grep's file and number, diff's sign, the branch of a tree of
processes."""
_PROCESS = regex(r"(?<=[\w)]),\d{1,9}$")
"""``pstree -p`` says which process a program is."""
_LONGEST_PROGRAM = 400
_ASSIGNS = frozenset({"=", ":", ":=", "=>", "->"})
MOST_WORDS = 60
"""So many arguments of a program are looked at."""


def secret_words(words: Sequence[str], since: int = 0, *, ends: bool = False) -> dict[int, tuple[int, int]]:
    """Index of each word that holds a secret, and where in it: for a command line that is in words already; at least
    of those from ``since`` on. ``ends``: the last word is an argument, whatever it looks like."""
    found: dict[int, tuple[int, int]] = {}
    starts: list[int] = []
    names: list[str] = []
    for at, word in enumerate(words[:-1] if ends else words):
        # A file may have the name of the program that reads it.
        name = _program(word[-_LONGEST_PROGRAM:] if word[:1] != "-" else word[:_LONGEST_PROGRAM])
        if name in PROGRAMS and not (starts and name == names[-1]) and not _is_set(words, at):
            starts.append(at)
            names.append(name)
    for name, start, end in zip(names, starts, (*starts[1:], len(words)), strict=False):
        last = min(end, start + MOST_WORDS)
        for program in PROGRAMS[name] if last > since else ():
            found.update(_arguments(program, words[start + 1 : last], start + 1, since))
    return found


def _is_set(words: Sequence[str], at: int) -> bool:
    """Is what may be a program the name of a setting (``rootPw = x``)?"""
    return at + 1 < len(words) and words[at + 1] in _ASSIGNS


@lru_cache(maxsize=4096)
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


def _arguments(program: Program, words: Sequence[str], first: int, since: int) -> dict[int, tuple[int, int]]:
    """Where among ``words``, the arguments, a secret is; indexes count from ``first``, and those from ``since`` on are
    asked for."""
    begin = _after_needs(words, program.needs) if program.needs else 0
    if begin < 0:
        return {}
    found: dict[int, tuple[int, int]] = {}
    for at in range(max(0 if program.needs.startswith("-") else begin, since - first), len(words)):
        span = _secret_in(program, words[at], words[at - 1] if at else "")
        if span is not None:
            found[first + at] = span
    if program.last:
        found.update({first + at: (0, len(words[at])) for at in _last_words(program, words, begin)})
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


def _last_words(program: Program, words: Sequence[str], begin: int) -> Iterator[int]:
    """Index of the last word, and of the one before what a shell takes for a remark; a password may begin so, too."""
    plain = [at for at in range(begin, len(words)) if not words[at].startswith("-")]
    remark = next((at for at in plain if words[at].startswith("#")), len(words))
    before = [at for at in plain if at < remark]
    for command in (before,) if words[remark : remark + 1] == ["#"] else (plain, before):
        if len(command) >= program.last and len(words[command[-1]]) >= program.shortest:
            yield command[-1]


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
