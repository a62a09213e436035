"""How the lines of programs look in front of their messages: who printed it, how bad it is, where the message begins.

The messages themselves stand in ``catalog/vocabulary/<program>.toml``. NCCL's lines have their own reader, which asks
the same catalogue (``nccl_log/registry.py``).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ProgramLines:
    """The form of one program's lines."""

    program: str
    """Its document in the catalogue; the events' origin."""
    marks: tuple[str, ...]
    """Literal texts without digits, one of which stands in every line of this form: the cheap test."""
    pattern: str
    """Searched in the line. Its group ``text`` is the message; ``level``, ``host``, ``pid`` and ``rank`` are used where
    it has them."""
    severe: tuple[str, ...] = ()
    """Values of ``level``, in lower case, of an error. Such a line that the vocabulary does not know is still an event,
    ``unknown``, so that a run that ended badly has its first error. () for a form whose lines need not be errors."""
    unknown: str = "program-error"
    """Kind of an error that the vocabulary does not know."""


PROGRAM_LINES: tuple[ProgramLines, ...] = (
    ProgramLines(  # node07:4711 NCCL DIAG [INFO] text; it reports on all nodes, so its own name accuses nobody
        "nccl-diag",
        ("NCCL DIAG ",),
        r"NCCL DIAG \[(?P<level>OK|INFO)\] +(?P<text>.*)",
    ),
    ProgramLines(  # [2025-12-19 13:07:07] PEER_DEAD: Process 4711 on node 10.0.0.7 managing GPU 1
        "nccl-diag",
        ("PEER_",),
        r"^(?:\[[\d :-]{19}\] )?(?P<text>PEER_[A-Z_]{3,30}(?:: .*|$))",
    ),
    ProgramLines(  # [1700.1] [gpu01:4711:0] ib_mlx5_log.c:177  UCX  ERROR text
        "ucx",
        ("UCX ",),
        r"(?:\[(?P<host>[\w.-]{1,120}):(?P<pid>\d+) {0,5}(?::\d+)?\] +)?(?:[\w.-]{1,60}:\d+ +)?"
        r"UCX +(?P<level>FATAL|ERROR|WARN|DIAG) +(?P<text>.*)",
        severe=("fatal", "error"),
        unknown="ucx-error",
    ),
    ProgramLines(  # [mpiexec@node07] HYDU_sock_write (lib/utils/sock.c:256): text
        "mpich",
        ("[mpiexec@", "[proxy:"),
        r"\[(?:mpiexec|proxy)[^@\]\s]{0,40}@(?P<host>[^\]\s]{1,80})\] "
        r"(?:(?P<level>HYD|main)\w{0,60} \([^)]{1,200}\): )?(?P<text>.*)",
        severe=("hyd", "main"),
        unknown="hydra-failure",
    ),
    ProgramLines(  # MPIDI_OFI_mpi_init_hook(1234)........: text
        "mpich",
        ("): ", ".: "),
        r"^(?:\[\d{1,7}\] )?(?:\w{3,80}|\(unknown\))\(\d{0,6}\)\.{0,60}: (?P<text>.*)",
    ),
    ProgramLines(  # systemd[1]: mill.service: text
        "systemd",
        ("systemd[",),
        r"\bsystemd\[\d{1,9}\]: (?:(?P<unit>[\w@.:\\-]{1,120}\.(?:service|socket|mount|scope|slice|timer|target)): )?"
        r"(?P<text>.*)",
    ),
    ProgramLines(  # slurmstepd: error: pyxis: text; enroot's own lines stand behind more blanks
        "pyxis",
        ("pyxis: ",),
        r"\b(?:srun|sbatch|slurmstepd|slurmd): (?:(?P<level>error|fatal): )?pyxis: +(?:\[(?P<inner>[A-Z]{4,7})\] )?"
        r"(?P<text>.*)",
        severe=("error", "fatal"),
    ),
    ProgramLines(  # slurmstepd: error: text, and slurmd: error: plugin/name: function: text
        "slurm",
        (": error: ", ": fatal: ", ": warning: "),
        r"\b(?P<program>srun|sbatch|salloc|sattach|sbcast|slurmstepd|slurmd|slurmctld|slurmdbd|slurmscriptd)"
        r"(?:\[\d{1,9}\])?(?:-(?P<host>[\w.-]{1,120}))?: (?P<level>error|fatal|warning): "
        r"(?:\w{1,60}(?:/\w{1,40})?: ){0,2}(?P<text>.*)",
        severe=("error", "fatal"),
    ),
    ProgramLines(  # [2031-04-05T06:07:08.123] [4711.0] error: text, in the logs of Slurm's daemons
        "slurm",
        ("] error: ", "] fatal: "),
        r"^\[\d{4}-\d\d-\d\dT[\d:.]{8,15}\] (?:\[[\w.+]{1,40}\] )?(?P<level>error|fatal): "
        r"(?:\w{1,60}(?:/\w{1,40})?: ){0,2}(?P<text>.*)",
        severe=("error", "fatal"),
    ),
)

UNPREFIXED: tuple[str, ...] = ("openmpi", "ssh", "kubernetes")
"""Programs that print their messages bare. A line is looked up in their vocabularies when it holds one of ``HINTS``."""

HINTS = (
    *("rror", "ail", "annot", "an't", "nable", "nvalid", "not ", "n't", "imed out", "imeout", "efused", "bort", "arn"),
    *("xceed", "issing", "enied", "nsupported", "llegal", "orrupt", "xception", "xpired", "ismatch", "verrun", "nsuff"),
    *("ncorrect", "hould", "ust ", "atal", "illed", "erminat", "isabled", "lost", "fault", "exhaust", "too "),
    *("ERROR", "WARNING", " NOT ", "equest", "pecified", "gnored", "onflict", "nknown", "nrecogni", "nexpected"),
    *("xited", "Open MPI", "Open RTE", "OpenFabrics", "MCA ", "MPI_", "No ", "bind", "been reached", "hung up"),
    *("closed by", "hostfile", "resources", "ttempt", "llocat", "bigger than", "local slave", "etry count"),
    *("ack-off", "low on ", "stopped posting", "unreachable", "not-ready", "unhealthy", "is down", "Bad ", "bad perm"),
)
"""Parts of words that nearly every complaint has: what may be one, without reading any vocabulary."""


def may_complain(text: str) -> bool:
    """Does ``text`` hold a part of a word that complaints have?"""
    return any(hint in text for hint in HINTS)
