"""Finds command lines in logs, prose and scripts; gives commands and the settings that they carry."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.job import Command
from slowlink.model.nccl import EnvSetting, LogProcess
from slowlink.model.source import Line, Ref
from slowlink.parsers.context.commands import programs
from slowlink.parsers.context.commands.lead import is_bare_command, strip_lead
from slowlink.parsers.context.commands.options import HostLists, Launch, assignment, read_launch
from slowlink.parsers.context.commands.words import UNRESOLVED, expand, split
from slowlink.parsers.forms.carried_variables import is_carried
from slowlink.parsers.forms.gates import Gate, anywhere, at_start, of_literals
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.marked_lines import is_library_line
from slowlink.patterns import regex

MAX_RECORDS = Limit(20_000, "commands")
MAX_VARIABLES = Limit(20_000, "variables")
MAX_CONTINUED = 80
"""Physical lines of one command."""

_ASSIGNS = regex(r"^\s*(?:\+{1,8} )?(?:(?P<export>export|declare -x|setenv) +)?['\"]?[A-Za-z_]\w{0,80}[= ]")
_ASSIGNMENT_MARK = regex(r"^\s*(?:\+{1,8} )?(?:export |declare -x |setenv )?['\"]?[A-Za-z_]\w{0,80}=")
_FOR = regex(r"^\s*for (?P<name>[A-Za-z_]\w{0,60}) in (?P<values>[^;]{1,300})(?:;|$)")
_FRAGMENT = regex(r"^\s*-(?:x|genv) +[A-Za-z_]\w{0,80}[= ]")
_PROMPT_MARKS = Literals(("$ ", "# ", "]# ", "]$ "))


class Commands:
    """Commands of one stream. Variables that a script sets are followed, as far as they are literal."""

    kind: ClassVar[str] = "commands"
    literals: ClassVar[Literals] = Literals(
        (*programs.MARKS.texts, "\\\n", "$ ", "# ", "=", "\nfor ", "\n-x ", "\n-genv ")
    )

    def __init__(self) -> None:
        self._records: list[Command | EnvSetting] = []
        self._variables: dict[str, str] = {}
        self._host_lists = HostLists()
        self._open: list[str] = []
        self._first: Line | None = None
        self._wrapped = False

    @staticmethod
    def gate() -> Gate:
        prompt = r"\s*[\[($rabsuoz+].*[$#] |\s*[$#] "
        marks = anywhere(of_literals(programs.MARKS), r"\\$")
        return (at_start(_ASSIGNMENT_MARK, _FOR, _FRAGMENT, prompt),), (marks,)

    @staticmethod
    def wants(text: str) -> bool:
        if text.endswith("\\") or programs.MARKS.in_(text):
            return True
        return (_PROMPT_MARKS.in_(text) and text.lstrip()[:1] in "[($rabsuoz+") or bool(
            _ASSIGNMENT_MARK.match(text) or _FOR.match(text) or _FRAGMENT.match(text)
        )

    @property
    def greedy(self) -> bool:
        return self._first is not None

    def feed(self, line: Line) -> Use:
        if is_library_line(line.text):
            return Use.NOT_MINE
        if self._first is not None:
            return self._continue(line)
        return self._start(line)

    def finish(self) -> Iterable[Command | EnvSetting]:
        if self._first is not None:
            self._close()
        return list(self._records)

    def _start(self, line: Line) -> Use:
        text = line.text.rstrip()
        if text.lstrip().startswith("#") and not text.lstrip().startswith(("# /", "# ./", "# [", "# C", "# c")):
            return Use.NOT_MINE
        if text.endswith("\\") and self._begins_command(text):
            self._first, self._open = line, [text[:-1]]
            return Use.USED
        if len(line.text) >= 79 and self._may_be_wrapped(text):
            self._first, self._open, self._wrapped = line, [line.text], True
            return Use.USED
        return self._take(text, line)

    def _begins_command(self, text: str) -> bool:
        if _FRAGMENT.match(text):
            return False
        lead = strip_lead(text)
        if lead is None:
            return False
        words = split(lead[1][:-1])
        return bool(words) and (
            is_bare_command([*words[0], "--more"]) or (lead[0] != "bare" and programs.is_known(words[0][0]))
        )

    def _may_be_wrapped(self, text: str) -> bool:
        """A typed launcher line without a program, as wide as a terminal: the terminal may have broken it."""
        lead = strip_lead(text)
        if lead is None or lead[0] != "prompt":
            return False
        words = split(lead[1])
        if len(words) != 1 or not programs.is_launcher(words[0][0]):
            return False
        return not any(programs.is_target(word) for word in words[0])

    def _continue(self, line: Line) -> Use:
        text = line.text.rstrip()
        if self._wrapped:
            self._wrapped = False
            if any(programs.is_target(word) for word in text.split()):
                self._open = ["".join((*self._open, text))]
                return self._close()
            self._close()
            return self._start(line)
        if not text or len(self._open) > MAX_CONTINUED:
            self._close()
            return self._start(line)
        self._open.append(text.rstrip("\\"))
        return Use.USED if text.endswith("\\") else self._close()

    def _close(self) -> Use:
        first, self._first = self._first, None
        parts, self._open, self._wrapped = self._open, [], False
        if first is not None:
            self._take(" ".join(parts), first)
        return Use.USED

    def _take(self, text: str, line: Line) -> Use:
        """One logical line."""
        loop = _FOR.match(text)
        if loop:
            values = split(expand(loop["values"], self._variables))
            self._remember(loop["name"], values[0][0] if len(values) == 1 and len(values[0]) == 1 else "$unknown")
            return Use.NOT_MINE
        if _FRAGMENT.match(text):
            return self._fragment(text, line)
        lead = strip_lead(text)
        if lead is None:
            return Use.NOT_MINE
        kind, rest = lead
        if _ASSIGNS.match(rest) and (use := self._assignments(rest, kind, line)) is not None:
            return use
        return self._commands(expand(rest, self._variables), kind, line)

    def _assignments(self, text: str, kind: str, line: Line) -> Use | None:
        """``export A=1 B=2`` or ``A=1`` alone; None where a command follows."""
        words = (split(text) or [[]])[0]
        exported = bool(words) and words[0] in ("export", "declare", "setenv")
        rest = [word for word in words if word not in ("export", "declare", "-x", "setenv")]
        if words and words[0] == "setenv" and len(rest) == 2:
            rest = [f"{rest[0]}={rest[1]}"]
        pairs = [pair for word in rest if (pair := assignment(word)) is not None]
        if not pairs or len(pairs) != len(rest):
            return Use.USED if exported and not pairs else None
        used = False
        for name, raw in pairs:
            value = expand(raw, self._variables)
            self._remember(name, value)
            if exported and is_carried(name) and not UNRESOLVED.search(value):
                self._emit_setting(name, value, "export", line)
                used = True
            elif " -x " in f" {value}" and "=" in value:
                used = self._settings(_fragment_env(value), line) or used
        if used:
            return Use.USED
        return Use.IGNORED if kind != "bare" or exported else Use.NOT_MINE

    def _fragment(self, text: str, line: Line) -> Use:
        """``-x NAME=value \\`` on a line of its own: options quoted without their command."""
        env = _fragment_env(expand(text.rstrip("\\ "), self._variables))
        return Use.USED if self._settings(env, line) else Use.NOT_MINE

    def _commands(self, text: str, kind: str, line: Line) -> Use:
        found = False
        simple = split(text)
        for words in simple:
            if kind in ("bare", "said") and not is_bare_command(words):
                continue
            launch = read_launch(words)
            if _matters(launch):
                self._emit_command(launch, line)
                found = True
        if found:
            return Use.USED
        typed = kind in ("prompt", "trace") and bool(simple)
        return Use.IGNORED if typed or (kind == "prompt" and not text.strip()) else Use.NOT_MINE

    def _emit_command(self, launch: Launch, line: Line) -> None:
        self._settings(launch.env, line)
        if MAX_RECORDS.has_room(len(self._records)):
            self._records.append(
                Command(
                    program=programs.base_name(launch.argv[0]),
                    argv=launch.argv,
                    launcher=launch.launcher,
                    nranks=launch.total_ranks,
                    ranks_per_node=launch.ranks_a_node,
                    hosts=self._host_lists.hosts(launch.host_list),
                    ref=line.ref(),
                    everywhere=launch.everywhere,
                    env=dict(launch.env),
                    nodes=launch.nodes,
                    gpus=launch.gpus_a_node,
                )
            )

    def _settings(self, env: dict[str, str], line: Line) -> bool:
        for name, value in env.items():
            self._emit_setting(name, value, "command", line)
        return bool(env)

    def _emit_setting(self, name: str, value: str, origin: str, line: Line) -> None:
        ref: Ref = line.ref()
        if MAX_RECORDS.has_room(len(self._records)):
            self._records.append(EnvSetting(name, value, origin, LogProcess(line.host, None, line.rank), ref))

    def _remember(self, name: str, value: str) -> None:
        """A value that needs the machine makes the variable unknown."""
        self._variables.pop(name, None)
        if not UNRESOLVED.search(value) and len(value) < 4000 and MAX_VARIABLES.has_room(len(self._variables)):
            self._variables[name] = value


def _fragment_env(text: str) -> dict[str, str]:
    """The ``-x NAME=value`` options of a text that holds options only."""
    words = (split(text) or [[]])[0]
    return read_launch(["mpirun", *words]).env


def _matters(launch: Launch) -> bool:
    """Worth a record: a job, something run on all nodes, or a known program."""
    if not launch.argv:
        return False
    return launch.launcher is not None or launch.everywhere or programs.is_target(launch.argv[0])
