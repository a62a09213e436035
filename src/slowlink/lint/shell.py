"""The commands of a container: what is started, as far as words tell it. Nothing is expanded or run."""

from __future__ import annotations

import os.path
import re
import shlex

from msgspec import Struct

from slowlink.lint.spot import Spot

PERF = re.compile(
    r"(?:all_reduce|all_gather|alltoall|alltoallv|broadcast|reduce_scatter|reduce|sendrecv|gather|scatter|hypercube)"
    r"_perf(?:_mpi)?"
)
"""Programs of nccl-tests and its relatives."""
MPI = frozenset({"mpirun", "mpiexec", "mpiexec.hydra", "prterun", "orterun", "horovodrun"})
_SHELLS = frozenset({"sh", "bash", "dash", "ash", "zsh"})
_WRAPPERS = frozenset(
    {"exec", "env", "sudo", "time", "nohup", "stdbuf", "numactl", "taskset", "timeout", "nice", "nsys"}
)
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=.*", re.DOTALL)
_END = re.compile(r"\n|;|&&|\|\|?|(?<![<>0-9])&(?!>)")
_MOST_CHARACTERS = 64 << 10
_MOST_COMMANDS = 500


class Command(Struct, frozen=True):
    """One simple command."""

    words: tuple[str, ...]
    line: int

    @property
    def program(self) -> str:
        """The name of what is started, behind assignments and wrappers; "" where words do not tell."""
        wrapped = False
        for word in self.words:
            base = os.path.basename(word)  # noqa: PTH119
            if _ASSIGNMENT.fullmatch(word):
                continue
            if base in _WRAPPERS:
                wrapped = True
                continue
            if wrapped and (word.startswith("-") or re.fullmatch(r"[0-9.,smh-]+", word)):
                continue
            return "" if "$" in word else base
        return ""

    @property
    def is_perf(self) -> bool:
        return PERF.fullmatch(self.program) is not None

    @property
    def runs_perf(self) -> bool:
        """By itself, or as what a launcher starts."""
        return any(PERF.fullmatch(os.path.basename(word)) for word in self.words)  # noqa: PTH119

    def option(self, *names: str) -> str | None:
        """``-np 16``, ``--np=16``, ``-g8``: the value of the first of these, as later ones may be those of what is
        launched; None where there is none."""
        for index, word in enumerate(self.words):
            for name in names:
                if word == name and index + 1 < len(self.words):
                    return self.words[index + 1]
                if word.startswith(f"{name}="):
                    return word.partition("=")[2]
                if len(name) == 2 and re.fullmatch(rf"{re.escape(name)}[0-9]+", word):
                    return word[2:]
        return None

    def count(self, *names: str) -> int | None:
        """As ``option``, where it is a number."""
        found = self.option(*names)
        return int(found) if found is not None and re.fullmatch(r"[0-9]{1,7}", found) else None

    @property
    def before_perf(self) -> Command:
        """The launcher with its own options alone."""
        perf = self.behind_perf
        return Command(self.words[: len(self.words) - len(perf.words)], self.line) if perf is not None else self

    @property
    def behind_perf(self) -> Command | None:
        """The nccl-tests program with its own options alone."""
        for index, word in enumerate(self.words):
            if PERF.fullmatch(os.path.basename(word)):  # noqa: PTH119
                return Command(self.words[index:], self.line)
        return None


def commands_of(container: Spot) -> tuple[Command, ...]:
    """Those in ``command`` and ``args``; of a shell's script all that stand in it."""
    places = [*container["command"], *container["args"]]
    words = [each.text for each in places]
    if not words:
        return ()
    if os.path.basename(words[0]) not in _SHELLS:  # noqa: PTH119
        if len(words) == 1 and any(letter in words[0] for letter in " \n"):
            return _script(places[0])
        return (Command(tuple(words), places[0].line),)
    return tuple(each for place in places[1:] if not place.text.startswith("-") for each in _script(place))


def _script(place: Spot) -> tuple[Command, ...]:
    text = place.text[:_MOST_CHARACTERS].replace("\\\n", " ")
    found = []
    for piece in _END.split(text)[:_MOST_COMMANDS]:
        words = _words(piece.strip())
        if words:
            found.append(Command(words, place.source.line_of(words[0], place.line)))
    return tuple(found)


def _words(text: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text, comments=True))
    except ValueError:
        return tuple(text.split())
