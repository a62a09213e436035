"""Feeds text to the fold as a driver does: the simplest cut at the library's name, no launcher prefixes."""

from __future__ import annotations

from collections.abc import Iterable

from slowlink.model.nccl import NcclLog
from slowlink.model.source import Line
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.nccl.nccl_log import PARSER
from slowlink.parsers.nccl.nccl_log.fold import NcclFold


def fold_of(lines: Iterable[str], first: int = 1) -> tuple[NcclFold, list[Use]]:
    """A fold that has read ``lines``, and what became of each."""
    fold = NcclFold()
    uses = []
    for number, line in enumerate(lines, first):
        prefix, cut, message = line.partition(" NCCL ")
        uses.append(fold.feed(prefix, message, number, line) if cut else fold.continuation(line, number))
    return fold, uses


def read(lines: Iterable[str]) -> NcclLog:
    """The log of ``lines``, which hold at least one line of NCCL."""
    fold, _ = fold_of(lines)
    (log,) = fold.result("job.log")
    return log


def read_message(message: str, level: str = "INFO", location: str = "") -> NcclLog:
    """The log of one message of one process."""
    where = f" {location}" if location else ""
    return read([f"node1:10:11 [0]{where} NCCL {level} {message}"])


def read_bare(lines: Iterable[str]) -> tuple[list[NcclLog], list[Use]]:
    """What the parser of lines without a prefix makes of ``lines``."""
    parser = PARSER()
    uses = [parser.feed(Line("job.log", number, line)) for number, line in enumerate(lines, 1)]
    return list(parser.finish()), uses
