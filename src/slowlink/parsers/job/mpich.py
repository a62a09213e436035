"""What MPICH and its launcher Hydra (also Intel MPI, Cray MPICH) print when a job fails.

Hydra's box, whose lines give rank, host and exit code::

    =   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES
    =   PID 991 RUNNING AT gpu01
    =   EXIT CODE: 139
    =   CLEANING UP REMAINING PROCESSES
    YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Segmentation fault (signal 11)

Source: ``pm/hydra`` and ``src/mpi/errhan`` of MPICH 3.x and 4.x, as users meet them.
"""

from __future__ import annotations

from typing import ClassVar

from slowlink.parsers.forms.message_table import DetailPattern, EventPattern, MessageParser, NoisePattern

MESSAGES = (
    EventPattern(
        "mpich-bad-termination",
        "BAD TERMINATION",
        r"BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES",
        ("=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES",),
    ),
    EventPattern(
        "executable-missing",
        "execvp error on file",
        r"execvp error on file (?P<executable>\S+) \((?P<error>[^)]{1,80})\)",
        (
            "[proxy:0:0@gpu01] HYDU_create_process (utils/launch/launch.c:74): execvp error on file ."
            "/nope (No such file or directory)",
        ),
    ),
    EventPattern(
        "mpich-abort",
        "Fatal error in",
        r"(?:\[Rank (?P<rank>\d+)\].{0,200})?Fatal error in (?P<call>\w{1,60}): (?P<error>[^,;]{1,120})",
        ("Abort(1091087) on node 0 (rank 0 in comm 0): Fatal error in PMPI_Init: Other MPI error, error stack:",),
    ),
    EventPattern(
        "mpich-abort",
        "application called MPI_Abort",
        r"application called MPI_Abort\([^)]{0,60}?(?P<code>-?\d+)\) - process (?P<rank>\d+)",
        ("application called MPI_Abort(MPI_COMM_WORLD, 2) - process 7",),
    ),
    EventPattern(
        "pmi-failure",
        "PMI",
        r"(?:PMI2?_Init (?:failed|returned)|MPIR_pmi_init.{0,60}fail|unable to (?:connect|open) .{0,20}PMI)",
        ("MPIR_pmi_init(138).: PMI_Init failed", "PMI2_Init failed to initialize.  Return code: 14"),
    ),
    EventPattern(
        "impi-over-tcp",
        "libfabric provider: ",
        r"MPI startup\(\): libfabric provider: (?P<provider>tcp|sockets|net|udp)(?:;[\w.-]{1,40})?\s*$",
        ("[0] MPI startup(): libfabric provider: tcp", "[0] MPI startup(): libfabric provider: tcp;ofi_rxm"),
    ),
)

DETAILS = (
    DetailPattern(
        ("mpich-bad-termination",),
        "RUNNING AT",
        r"(?:RANK (?P<rank>\d+) )?PID (?P<pid>\d+) RUNNING AT (?P<host>\S+)",
        ("=   PID 991 RUNNING AT gpu01",),
    ),
    DetailPattern(("mpich-bad-termination",), "EXIT CODE:", r"EXIT CODE: (?P<code>\d+)", ("=   EXIT CODE: 139",)),
    DetailPattern(
        ("mpich-bad-termination",),
        "EXIT STRING",
        r"EXIT STRING: (?P<name>[\w ]{1,40}) \(signal (?P<signal>\d+)\)",
        ("YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Segmentation fault (signal 11)",),
    ),
)

NOISE = (
    NoisePattern(
        "MPI startup(): ",
        r"^\[\d{1,7}\] MPI startup\(\): (?:Intel\(R\) MPI Library|Copyright|library kind|max |File |Load tuning"
        r"|libfabric (?:loaded|version|provider)|=====|Rank +Pid|I_MPI_|Number of |threading|tag bits|source bits)",
        ("[0] MPI startup(): libfabric version: 1.20.1-impi", "[0] MPI startup(): ===== CPU pinning ====="),
    ),
    NoisePattern("Slingshot", r"^\s*MPICH Slingshot ", ("MPICH Slingshot Network Summary: 0 network timeouts",)),
    NoisePattern(
        "CLEANING UP REMAINING PROCESSES",
        r"CLEANING UP REMAINING PROCESSES",
        ("=   CLEANING UP REMAINING PROCESSES",),
    ),
)


class Mpich(MessageParser):
    """Events of MPICH and Hydra; the lines of Hydra's box are joined to one event."""

    kind: ClassVar[str] = "mpich"
    origin: ClassVar[str] = "mpich"
    messages: ClassVar[tuple[EventPattern, ...]] = MESSAGES
    details: ClassVar[tuple[DetailPattern, ...]] = DETAILS
    noise: ClassVar[tuple[NoisePattern, ...]] = NOISE


PARSER = Mpich
