"""How processes ended, as launchers, schedulers, shells and the kernel say it, each in its own way."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from slowlink.model.facts import Events
from slowlink.model.job import JobEvent
from slowlink.rules.evidence.messages import happened, host_of

SIGNALS = {
    1: "SIGHUP",
    2: "SIGINT",
    4: "SIGILL",
    6: "SIGABRT",
    7: "SIGBUS",
    8: "SIGFPE",
    9: "SIGKILL",
    11: "SIGSEGV",
    15: "SIGTERM",
}
CRASHES = frozenset({4, 7, 8, 11})
"""Signals that a process gets for its own fault."""
ABORT = 6
KILL = 9
OUT_OF_MEMORY = ("oom-killed", "slurm-oom", "k8s-oom-killed", "batch-memory-limit")
"""Kinds of event: the kernel killed a process for want of host memory."""
STATED = ("slurm-node-fail", "slurm-preempted", "k8s-evicted", "batch-preempted", "cuda-out-of-memory")
"""Kinds of event that name another reason for the end."""
LIMITS = ("slurm-time-limit", "batch-time-limit", "k8s-deadline-exceeded")
"""Kinds of event: a scheduler ended the job when its time was over."""
REMOTE_EXITED = "remote process exited"
"""What NCCL returns to the peers of a rank that is gone."""
_INTERRUPT = 2
_ENDED_BY_OTHERS = frozenset({1, 2, 15})
"""Signals by which a launcher or a scheduler ends what is left of a job, or somebody ends all of it."""
_BY_US = ("interrupted", "enough", "cut-off")
"""Reasons of an end that lie with slowlink and whoever uses it."""
_SIGNAL_IN_WORDS = {
    "segmentation": 11,
    "bus error": 7,
    "abort": 6,
    "illegal instruction": 4,
    "floating point": 8,
    "killed": 9,
    "terminated": 15,
    "hangup": 1,
    "interrupt": 2,
}
_ENDS = (
    "slurm-task-exit",
    "ompi-signal",
    "ompi-process-exited",
    "ompi-abort",
    "mpich-bad-termination",
    "mpich-abort",
    "process-crashed",
    "process-exited",
    "command-exited",
    "process-killed",
    "process-aborted",
    "heap-corruption",
    "torch-elastic-failure",
    "k8s-command-exit",
    "k8s-container-exit",
    "deepspeed-rank-ended",
)
"""Kinds of event that say that a process ended, with a signal or an exit code."""


class Death(Struct, frozen=True):
    """One process that ended badly."""

    event: JobEvent
    signal: int | None
    code: int | None
    """Exit code, where it was no signal."""

    @property
    def crashed(self) -> bool:
        """Did the process crash by its own fault?"""
        unnamed = self.event.kind == "process-crashed" and self.signal is None and self.code is None
        return self.signal in CRASHES or unnamed or self.event.kind == "heap-corruption"

    @property
    def rank(self) -> str | None:
        """Of which rank it is, where the message says that."""
        groups = self.event.groups
        return str(self.event.rank) if self.event.rank is not None else groups.get("rank", groups.get("task"))

    @property
    def who(self) -> str:
        """``rank 3 on node07``, as far as the message says."""
        groups = self.event.groups
        name = f"process {groups['pid']}" if "pid" in groups else groups.get("program", "a process")
        name = f"rank {self.rank}" if self.rank is not None else name
        host = host_of(self.event)
        return f"{name} on {host}" if host else name

    @property
    def how(self) -> str:
        """``died of signal 9 (SIGKILL)`` or ``exited with code 3``."""
        if self.signal is not None:
            return f"died of signal {self.signal} ({SIGNALS.get(self.signal, 'unnamed')})"
        if self.code is not None:
            return f"exited with code {self.code}"
        return "crashed" if self.crashed else "ended with an error"


def deaths(events: Events | None) -> tuple[Death, ...]:
    """Every process that ended badly by itself, without those that a launcher or scheduler then ended."""
    found = [_death(event) for event in happened(events, *_ENDS)]
    return tuple(d for d in found if d.signal not in _ENDED_BY_OTHERS and d.code != 0)


def told(dead: Sequence[Death]) -> list[str]:
    """``rank 3 on node07 died of signal 9 (SIGKILL)``, one for each process.

    Launcher, shell and runtime each tell of the same process, some by its rank and some by its number: where there are
    ranks, these count. Who says how it ended is believed before who does not.
    """
    dead = [death for death in dead if death.rank is not None] or dead
    placed = {death.rank for death in dead if host_of(death.event)}
    said: dict[str, str] = {}
    for death in sorted(dead, key=lambda death: death.signal is None and death.code is None):
        if host_of(death.event) or death.rank not in placed:  # a rank that has its node elsewhere is told there
            said.setdefault(death.who, f"{death.who} {death.how}")
    return [said[who] for who in dict.fromkeys(death.who for death in dead) if who in said]


def raised(events: Events | None) -> tuple[JobEvent, ...]:
    """Exceptions of ranks that report no time-out themselves: those left, and the others waited for them.

    Nothing where no rank reports a time-out, or where the exception names no rank: the program may have caught it.
    """
    waited = {event.rank for event in happened(events, "torch-watchdog-timeout", "torch-watchdog-exception")}
    found = happened(events, "rank-exception")
    return tuple(e for e in found if waited and e.rank is not None and e.rank not in waited)


def stopped_by_user(events: Events | None) -> bool:
    """Did somebody end the job by hand (Ctrl-C, scancel), with no process that failed by itself?"""
    if ended_by_us(events):
        return True
    by_hand = any(_death(event).signal == _INTERRUPT for event in happened(events, *_ENDS))
    return (by_hand or bool(happened(events, "user-interrupt", "slurm-cancelled"))) and not deaths(events)


def ended_by_us(events: Events | None) -> bool:
    """Did slowlink end the run, as it was told to, or was it ended itself meanwhile?"""
    return any(event.groups.get("reason") in _BY_US for event in happened(events, "slowlink-run-ended"))


def _death(event: JobEvent) -> Death:
    """Launchers print a signal by number or name; shells add 128 to it, Python prints it as a negative exit code."""
    signal, code = _number(event.groups.get("signal")), _number(event.groups.get("code"))
    if signal is None:
        signal = _signal_in_words(event.groups.get("signal", "") or event.groups.get("name", ""))
    if signal is None and code is not None and (code < 0 or 128 < code < 160):
        return Death(event, -code if code < 0 else code - 128, None)
    return Death(event, signal, None if signal is not None else code)


def _number(text: str | None) -> int | None:
    digits = (text or "").removeprefix("-")
    return int(text or "") if digits.isascii() and digits.isdecimal() and len(digits) <= 9 else None


def _signal_in_words(text: str) -> int | None:
    """11 for ``Segmentation fault`` or ``SIGSEGV``."""
    for number, name in SIGNALS.items():
        if name in text.upper():
            return number
    lowered = text.lower()
    return next((number for word, number in _SIGNAL_IN_WORDS.items() if word in lowered), None)


def lost_abruptly(events: Events | None) -> bool:
    """Did a process end by a crash, a kill, for want of memory or with its node?

    Then that is where to look first, and the errors of the others are echoes.
    """
    ended = any(death.crashed or death.signal == KILL for death in deaths(events))
    return ended or bool(happened(events, *OUT_OF_MEMORY, *STATED))
