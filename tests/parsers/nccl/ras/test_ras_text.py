"""RAS's answers as text: every section, alone and together, cut anywhere, among other lines."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

import ras_answers as ras
from slowlink.inputs import Input
from slowlink.model.hang import RasMismatch, RasSnapshot
from slowlink.model.records import Records
from slowlink.parsers.nccl.ras import PARSER
from slowlink.parsers.reading.read import read

WHOLE = ras.VERSION + ras.IRREGULAR + ras.INCOMPLETE + ras.MISSING + ras.mismatch(41, 40) + ras.STATUS


def records(text: str) -> Records:
    return read([Input("ras.txt", None, [text.encode()])], workers=1)


def answers(text: str) -> tuple[RasSnapshot, ...]:
    return records(text).ras


def shares(mismatch: RasMismatch) -> list[tuple[int, int | None, str | None, list[int | None]]]:
    return [(s.ranks, s.operation, s.status, [p.rank for p in s.members]) for s in mismatch.shares]


def test_a_regular_job() -> None:
    (found,) = answers(ras.VERSION + ras.JOB + ras.FINE)
    assert (found.nccl, found.cuda_runtime, found.cuda_driver) == ("2.28.7", 12090, 12080)
    assert (found.nodes, found.processes, found.gpus, found.outliers, found.complete) == (2, 8, 8, (), True)
    (group,) = found.groups
    assert (group.comms, group.nodes, group.ranks_per_node, group.size, group.ranks) == (1, 2, "4", 8, 8)
    assert (group.status, group.errors, group.ref.line) == ("RUNNING", (), 16)
    assert found.communicators == ()


def test_an_irregular_job_names_its_outliers() -> None:
    (found,) = answers(ras.IRREGULAR)
    assert (found.nodes, found.processes, found.gpus, found.outliers) == (4, 31, 31, ("10.1.0.7",))


def test_errors_with_their_processes() -> None:
    (found,) = answers(WHOLE)
    assert [(e.kind, e.count, [(p.pid, p.host, p.gpus, p.dead) for p in e.members]) for e in found.errors] == [
        ("missing-process", 1, [(4204, "10.1.0.9", "3 (NVML 7)", None)]),
        ("dead", 2, [(4205, "10.1.0.9", "4", True)]),
    ]
    first, second = found.communicators
    assert [(e.kind, e.count, [p.rank for p in e.members]) for e in first.errors] == [("missing-rank", 1, [7])]
    assert [(e.kind, e.count, [p.rank for p in e.members], e.codes) for e in second.errors] == [
        ("init-error", 2, [2, 3], ("unhandled system error",)),
        ("async-error", 1, [5], ("remote process exited or there was a network error",)),
    ]
    assert found.groups[0].errors == ("INCOMPLETE", "MISMATCH")
    assert found.groups[0].ranks_per_node == "3-4"


def test_warnings_join_the_communicator_of_the_errors() -> None:
    (found,) = answers(WHOLE)
    assert found.timeouts == 2
    operations, status, broadcast = found.communicators[0].mismatches
    assert (operations.kind, operations.collective) == ("operations", "AllReduce")
    assert shares(operations) == [(6, 41, None, []), (2, 40, None, [2, 5])]
    assert (status.kind, status.collective) == ("status", None)
    assert shares(status) == [(5, None, "RUNNING", []), (2, None, "INIT", [0, 4]), (1, None, "FINALIZE", [6])]
    assert (broadcast.collective, shares(broadcast)) == ("Broadcast", [(7, None, None, []), (1, 3, None, [1])])


def test_before_2_26_all_collectives_are_counted_together() -> None:
    (found,) = answers(ras.BEHIND + ras.mismatch(9, 8, "collective"))
    assert found.communicators[0].mismatches[0].collective is None


def test_2_24_lists_missing_ranks_in_one_line() -> None:
    (found,) = answers(
        "#1-3 (c0ffee) INCOMPLETE\n  Missing communicator data from 3 ranks\n  The missing ranks: 1, 4, 5\n"
    )
    assert [p.rank for p in found.communicators[0].errors[0].members] == [1, 4, 5]


def test_two_answers_are_two() -> None:
    first, second = answers(ras.answer(41, 40) + ras.answer(52, 51))
    assert [s.communicators[0].mismatches[0].shares[0].operation for s in (first, second)] == [41, 52]
    assert [s.ref.line for s in answers(ras.BEHIND + ras.FINE)] == [5, 12]


def test_every_line_is_accounted_for() -> None:
    (source,) = records("$ ncclras -v\n" + WHOLE + "what somebody wrote\n").sources
    assert "nccl-ras" in source.kinds
    assert source.unread <= 2
    assert source.used + source.ignored + source.unread == source.lines


def test_its_words_elsewhere_mean_nothing() -> None:
    text = (
        "INCOMPLETE\nDEAD\nERROR\n  2 ranks have status RUNNING\n      2          4            1          8        8\n"
        "  Rank 3 -- GPU 1 managed by process 9 on node 10.1.0.1\nWarnings\n======\n"
        "NCCL version 2.28.7 compiled with CUDA 12.9\n"
    )
    assert answers(text) == ()


def test_wanting_is_blind_to_digits() -> None:
    for line in WHOLE.splitlines():
        zeroed = "".join("0" if letter.isdigit() else letter for letter in line)
        assert PARSER.wants(line) == PARSER.wants(zeroed)


def test_cut_anywhere_it_invents_nothing() -> None:
    whole = WHOLE.splitlines(keepends=True)
    (all_of_it,) = answers(WHOLE)
    for end in range(len(whole)):
        for found in answers("".join(whole[:end])):
            assert found.nodes in (None, all_of_it.nodes)
            assert found.groups in ((), all_of_it.groups)
            for communicator in found.communicators:
                assert communicator.hash in {each.hash for each in all_of_it.communicators}
                for mismatch in communicator.mismatches:
                    assert {s.operation for s in mismatch.shares} <= {41, 40, 3, None}


@given(st.lists(st.sampled_from(WHOLE.splitlines()) | st.text(max_size=60), max_size=60))
@settings(max_examples=100, deadline=None)
def test_any_lines_give_a_result_and_add_up(lines: list[str]) -> None:
    found = records("\n".join(lines))
    (source,) = found.sources
    assert source.used + source.ignored + source.unread == source.lines
    assert len(found.ras) <= len(lines)
