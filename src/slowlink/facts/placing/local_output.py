"""Does a message speak of the node where a command was typed? What a launcher starts elsewhere is told there, too."""

from __future__ import annotations

from slowlink.patterns import regex

_OF_THE_MACHINE = frozenset({"kernel", "nvidia-smi", "amd-smi", "fabricmanager"})
"""Origins that speak of the machine that they run on, whatever started them there."""
_OF_A_PROCESS = frozenset({"cuda", "loader", "shell", "libfabric", "ucx"})
"""Origins that speak of the machine of a process: a rank, which may be anywhere, or a tool that was just typed."""
_ELSEWHERE = regex(
    r"(?:^|[\s;&|/])(?:mpirun|mpiexec(?:\.hydra)?|orterun|prterun|srun|sbatch|salloc|ssh|pdsh|clush|pssh|parallel-ssh|psh|xdsh"
    r"|pbsdsh|aprun|jsrun|kubectl|oc|ansible|horovodrun|deepspeed|torchrun|accelerate)(?=\s|$)"
)
_FILE_SHOWN = regex(r"\s*(?:sudo +)?(?:cat|less|more|tail|head|z?grep|zcat|bzcat|xzcat|sed|awk|vim?|view)\s+(.{0,300})")
_OF_THE_SYSTEM = regex(r"(?:^|\s)/(?:proc|sys|var/log|run)/")
_SCRIPT = regex(r"\s*(?:sudo +)?(?:(?:ba|z|k|da)?sh|source|\.|make|\./\S{1,100}\.sh|\S{1,200}\.sh)(?=\s|$)")


_NAME = r"(?:[\w.-]{1,32}@)?(?P<host>[A-Za-z0-9][\w.-]{0,100})"
_ON_ONE_NODE = (
    regex(
        r"\s{0,8}(?:sudo +)?ssh +(?:-[AaCfGgKkMNnqsTtVvXxYy]{1,8} +|-[BbcDEeFIiJLlmOopQRSWw] ?\S{1,80} +){0,12}"
        + _NAME
        + r" +(?P<rest>[^\s-].{0,400})"
    ),
    regex(
        r"\s{0,8}(?:sudo +)?srun +(?:\S{1,80} +){0,12}?(?:-w *|--nodelist[= ])"
        + _NAME
        + r" +(?:-\S{1,80} +){0,12}(?P<rest>[^\s-].{0,400})"
    ),
    regex(
        r"\s{0,8}(?:sudo +)?(?:pdsh|clush) +(?:-(?:[bBLNSqv]{1,4}|[Rftu] ?\w{1,20}) +){0,8}-w *"
        + _NAME
        + r" +(?:-(?:[bBLNSqv]{1,4}|[Rftu] ?\w{1,20}) +){0,8}(?P<rest>[^\s-].{0,400})"
    ),
)
"""``ssh node07 dmesg``, ``srun -N1 -w node07 ulimit -l``, ``pdsh -w node07 ibstat``."""


def sent_to(command: str) -> tuple[str, str] | None:
    """The one node that a command is sent to by its name, and what runs there; None where it runs here, or on many."""
    found = next((match for pattern in _ON_ONE_NODE if (match := pattern.match(command)) is not None), None)
    return (found["host"], found["rest"]) if found is not None else None


def is_of_this_node(origin: str, command: str | None) -> bool:
    """Does a message of ``origin`` speak of the node that ``command`` was typed on?

    ``command``: what a prompt shows; "" where it shows nothing; None where something asked this one node on purpose.
    """
    if command is None:
        return True
    if _ELSEWHERE.search(command) or _shows_a_file(command):
        return False
    return origin in _OF_THE_MACHINE or (origin in _OF_A_PROCESS and _SCRIPT.match(command) is None)


def _shows_a_file(command: str) -> bool:
    """``tail job.log``: what is printed was written anywhere; ``tail /var/log/messages`` was written here."""
    shown = _FILE_SHOWN.match(command)
    return shown is not None and _OF_THE_SYSTEM.search(shown[1]) is None
