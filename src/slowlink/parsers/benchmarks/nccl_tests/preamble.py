"""The lines that a test prints before its table: version, program, parameters, devices."""

from __future__ import annotations

import re
from enum import IntEnum

from msgspec import Struct

from slowlink.model.benchmark import RankDevice
from slowlink.model.source import Ref
from slowlink.patterns import regex

PROGRAM = regex(
    r"\b((?:all_reduce(?:_bias)?|all_gather|reduce_scatter|alltoallv?|broadcast|reduce|gather|scatter|sendrecv|hypercube)_perf)"
    r"(?![A-Za-z])"
)
_VERSION = regex(r"(nccl|rccl|mccl)-tests version (\S{1,60})(?:.{0,60}?-library=(\d{1,9}))?", re.IGNORECASE)
_PROBE = regex(
    r"slowlink probe (\S{1,40}) ([a-z_]{1,20})(?: backend (\w{1,20}))?(?: run (\w{1,40}))?"
    r"(?: library \"([^\"]{1,120})\")?"
)
_RCCL_VERSION = regex(r"rccl-tests: Version (\S{1,80})")
_STARTING = regex(r"Collective test starting: (\S{1,80})")
_MACA = regex(r"The test is (\S{1,80}), the maca version is\s{1,8}(\S{1,200})?")
_MAIN_PROCESS = regex(r"main_process = \d")
_PARAMETER = regex(
    r"\b(nThread|nGpus|minBytes|maxBytes|step|warmup iters|agg iters|iters|validation|graph|unalign|"
    r"inplace|blocking|stress cycles|cycles):? {1,4}(\S{1,40})"
)
_DEVICE = regex(r"Rank\s{1,8}(\d{1,7})\s{1,8}(?:Group\s{1,8}(\d{1,7})\s{1,8})?(?:Pid\s{1,8}(\d{1,9})\s{1,8})?on\s")
_BUS = regex(r"\[([0-9A-Fa-fx:.]{1,20})\]?")
_REDUCING = regex(r"Reducing maxBytes to (\d{1,19}) due to memory limitation")
_NOTICE = regex(
    r"#\s{0,8}(?:Blocking Enabled:|Per-Iteration Report:|Parallel Init Enabled:|Writing JSON output to |"
    r"skipping json output|Testing \d{1,9} cycle|Errors with asterisks|NCCL Tests compiled with|"
    r"GPU memory usage|Bitwise mismatches|Network counter collection|"
    r"NCCL_TESTS_|error: )"
)
DEVICE_CUT = "..."
PROBE = "slowlink-probe"


class Mark(IntEnum):
    """Kinds of preamble line, in the order in which a test prints them."""

    WRAPPER = 0
    VERSION = 1
    STARTING = 2
    PARAMETERS = 3
    DERIVATIVE = 4
    """``rccl-tests: Version``, printed between parameters and devices."""
    DEVICES = 5
    DEVICE = 6
    NOTICE = 7


class PreambleLine(Struct, frozen=True):
    """What one line of the preamble says."""

    mark: Mark
    tool: str | None = None
    program: str | None = None
    tests_version: str | None = None
    nccl_version: str | None = None
    parameters: tuple[tuple[str, str], ...] = ()
    device: RankDevice | None = None
    elided: bool = False
    reduced_max_bytes: int | None = None
    collective: str | None = None
    """Named as such, not by a program."""


def version_of_code(code: int) -> str | None:
    """NCCL_VERSION_CODE as text: 22907 is 2.29.7; up to 2.8 the codes had three digits less (2804 is 2.8.4)."""
    if 1000 <= code < 10000:
        return f"{code // 1000}.{code // 100 % 10}.{code % 100}"
    if 20000 <= code < 100000:
        return f"{code // 10000}.{code // 100 % 100}.{code % 100}"
    return None


def parse_preamble(text: str, ref: Ref) -> PreambleLine | None:
    """What ``text`` says, or None when it is no line of a preamble."""
    bare = text.strip().lstrip("#").strip()
    if bare.startswith("Rank"):
        return _device(bare, ref)
    if bare.startswith("nThread"):
        parameters = tuple((key, value.rstrip(",")) for key, value in _PARAMETER.findall(bare))
        return PreambleLine(Mark.PARAMETERS, parameters=parameters) if len(parameters) >= 3 else None
    if bare == "Using devices":
        return PreambleLine(Mark.DEVICES)
    return _named_line(bare) or _notice(text)


def _named_line(bare: str) -> PreambleLine | None:
    match = _VERSION.match(bare)
    if match:
        code = match.group(3)
        library = version_of_code(int(code)) if code else None
        return PreambleLine(
            Mark.VERSION, match.group(1).lower() + "-tests", tests_version=match.group(2), nccl_version=library
        )
    match = _PROBE.match(bare)
    if match:
        named = zip(("backend", "run", "library"), match.groups()[2:], strict=True)
        return PreambleLine(
            Mark.VERSION,
            PROBE,
            tests_version=match.group(1),
            parameters=tuple((key, value) for key, value in named if value),
            collective=match.group(2),
        )
    match = _STARTING.match(bare)
    if match:
        return PreambleLine(Mark.STARTING, program=match.group(1))
    match = _RCCL_VERSION.match(bare)
    if match:
        return PreambleLine(Mark.DERIVATIVE, "rccl-tests", tests_version=match.group(1))
    match = _MACA.match(bare)
    if match:
        return PreambleLine(Mark.WRAPPER, "mccl-tests", program=match.group(1))
    if _MAIN_PROCESS.match(bare):
        return PreambleLine(Mark.NOTICE)
    return None


def _notice(text: str) -> PreambleLine | None:
    match = _REDUCING.search(text)
    if match:
        return PreambleLine(Mark.NOTICE, reduced_max_bytes=int(match.group(1)))
    if _NOTICE.match(text.strip()):
        rccl = "asterisks" in text or "Testing" in text
        return PreambleLine(Mark.NOTICE, "rccl-tests" if rccl else None)
    return None


def _device(bare: str, ref: Ref) -> PreambleLine | None:
    match = _DEVICE.match(bare)
    if match is None:
        return None
    rank, group, pid = (int(part) if part else None for part in match.groups())
    rest = bare[match.end() :].split()
    host = rest[0] if rest and rest[0] != "device" else None
    index = bus = gpu = None
    if "device" in rest[:2]:
        after = rest[rest.index("device") + 1 :]
        index = int(after[0]) if after and after[0].isdecimal() and len(after[0]) < 7 else None
        bus_match = _BUS.match(after[1]) if len(after) > 1 else None
        bus = bus_match.group(1) if bus_match else None
        gpu = " ".join(after[2:]).removesuffix(DEVICE_CUT).strip() or None
    device = RankDevice(rank or 0, host, pid, index, bus, gpu, group, ref)
    tool = "mccl-tests" if gpu and ("MetaX" in gpu or gpu.startswith("MTT")) else None
    return PreambleLine(Mark.DEVICE, tool, device=device, elided=bare.endswith(DEVICE_CUT))
