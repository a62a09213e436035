"""The calls of all ranks side by side: where they part."""

from __future__ import annotations

from text_findings import said

RULE = "flight-table-differs"
WIDTH = 56


def table(*rows: tuple[str, ...]) -> str:
    """A table of three ranks as the analyser lays it out."""
    lines = [tuple(f"Rank {rank}" for rank in range(3)), ("-" * WIDTH,) * 3, *rows]
    return "".join("  ".join(cell.ljust(WIDTH) for cell in line).rstrip() + "\n" for line in lines)


def call(operation: str, state: str) -> str:
    return f"{operation}(input_sizes=[[1024]], state={state})"


ALIKE = (call("broadcast", "completed"),) * 3
WAITS = call("all_reduce", "scheduled")


def test_a_column_that_ends_before_what_the_others_wait_in() -> None:
    assert said(RULE, table(ALIKE, (WAITS, "", WAITS))) == [
        (
            "rank-stuck",
            "critical",
            "likely",
            "rank 1 recorded no all_reduce that the other ranks wait in (row 2 of the table)",
        )
    ]


def test_another_collective() -> None:
    assert [each[3] for each in said(RULE, table(ALIKE, (WAITS, call("_all_gather_base", "started"), WAITS)))] == [
        "ranks call different collectives in row 2: ranks 0 and 2 all_reduce, rank 1 _all_gather_base"
    ]


def test_a_rank_that_has_not_finished() -> None:
    done = call("all_reduce", "completed")
    assert [each[3] for each in said(RULE, table(ALIKE, (done, done, WAITS)))] == [
        "rank 2 did not finish all_reduce that other ranks have finished (row 2 of the table)"
    ]


def test_rows_that_may_be_of_different_groups_say_nothing() -> None:
    done = call("all_reduce", "completed")
    assert said(RULE, table(ALIKE, (done, call("all_gather", "completed"), done))) == []
    assert said(RULE, table((WAITS, "", WAITS))) == []
    send, recv = (f"{what}(s=0 d=1, input_sizes=[[4]], state=started)" for what in ("send", "recv"))
    assert said(RULE, table(ALIKE, (send, recv, send))) == []
    assert said(RULE, table(ALIKE, (WAITS, "", WAITS), ALIKE)) == []


def test_a_table_of_which_all_is_done_says_nothing() -> None:
    assert said(RULE, table(ALIKE, ALIKE)) == []
