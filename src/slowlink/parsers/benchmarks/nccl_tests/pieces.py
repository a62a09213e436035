"""Rows that came in pieces: torn by another program's line, wrapped by a terminal, or cut off for good."""

from __future__ import annotations

from msgspec import Struct

from slowlink.model.source import Line, Ref
from slowlink.parsers.benchmarks.nccl_tests.columns import Layout
from slowlink.parsers.benchmarks.nccl_tests.rows import LOST, Row, is_fragment, read_row, side_agrees, sides_that_agree
from slowlink.parsers.benchmarks.nccl_tests.run import RunBuilder

_MOST = 64


class _Pending(Struct):
    """The begin of a row whose rest has not come yet."""

    run: RunBuilder
    layout: Layout
    tokens: list[str]
    ref: Ref
    last_line: int
    torn: bool
    """Another program's line cut it; otherwise it may have been wrapped in the middle of a number."""


class Pieces:
    """All rows of one stream that are not whole yet. Usually one; more where several programs share a stream."""

    def __init__(self) -> None:
        self._pending: list[_Pending] = []

    def __bool__(self) -> bool:
        return bool(self._pending)

    def begin(self, run: RunBuilder, layout: Layout, tokens: list[str], line: Line) -> None:
        """Remember the begin of a row of ``run``."""
        self._pending.append(_Pending(run, layout, tokens, line.ref(), line.no, line.torn))
        if len(self._pending) > _MOST:
            self._give_up(self._pending.pop(0))

    def join(self, tokens: list[str], line: Line) -> RunBuilder | None:
        """Put ``tokens`` after the row that they continue, and give its run; None when they continue none."""
        if not is_fragment(tokens):
            return None
        for pending in self._pending:
            joined = _joined(pending, tokens, line) if len(tokens) < len(pending.layout.columns) else None
            if joined is None:
                continue
            pending.tokens, row = joined
            pending.torn, pending.last_line = line.torn, line.no
            if not row.missing:
                pending.run.add_row(row)
                self._pending.remove(pending)
            return pending.run
        return None

    def give_up(self, run: RunBuilder | None = None) -> None:
        """The rest will not come (for ``run``, or at all): keep what is there."""
        for pending in self._pending:
            if run is None or pending.run is run:
                self._give_up(pending)
        self._pending = [pending for pending in self._pending if run is not None and pending.run is not run]

    def _give_up(self, pending: _Pending) -> None:
        row = read_row(pending.layout, pending.tokens, pending.ref)
        if row is not None:
            pending.run.add_row(row)
        else:
            pending.run.torn.append(pending.ref)


def _joined(pending: _Pending, tokens: list[str], line: Line) -> tuple[list[str], Row] | None:
    """The row with these tokens after it, in the way in which its sides agree best with themselves.

    A line wrapped in the middle of a number is glued there. A torn row may have lost the cell before the tear: its
    digit looked like the begin of the host name that stuck to it. None when the tokens are somebody else's numbers.
    """
    follows_at_once = line.no == pending.last_line + 1
    if not (pending.torn or follows_at_once):
        return None
    joins = [[*pending.tokens, *tokens]]
    if pending.torn:
        joins.append([*pending.tokens, LOST, *tokens])
    else:
        joins.append([*pending.tokens[:-1], pending.tokens[-1] + tokens[0], *tokens[1:]])
    best: tuple[list[str], Row] | None = None
    for join in joins:
        row = read_row(pending.layout, join, pending.ref)
        if row is not None and (best is None or sides_that_agree(row) > sides_that_agree(best[1])):
            best = (join, row)
    if best is not None and len(best[0]) < len(pending.tokens) + len(tokens):
        _doubt_a_digit(best[1], pending.tokens[-1], tokens[0])
    if best is None or follows_at_once:
        return best
    whole = [side for side in best[1].sides if not side.last]
    row = best[1]
    if whole:
        return best if sides_that_agree(row) == len(whole) else None
    # The first side alone, its last cell lost to the tear: its numbers must still follow from one another.
    return best if any(side_agrees(row.size, side) for side in row.sides) else None


def _doubt_a_digit(row: Row, front: str, back: str) -> None:
    """A bandwidth that was glued of two pieces may have lost a digit with the break: both bandwidths of a side are
    printed with the same number of decimals."""
    for side in row.sides:
        for name, cell, other in (("algbw", side.algbw, side.busbw), ("busbw", side.busbw, side.algbw)):
            if cell.text == front + back and other.value is not None and cell.half_unit != other.half_unit:
                side.torn.append(f'{name} was broken into "{front}" and "{back}", and may lack a digit')
