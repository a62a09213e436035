from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from text_findings import findings_of, said, table

from slowlink.rules.evidence.messages import shortened

ALL_RANKS = "".join(f"[rank{rank}]: KeyError: 'hidden_size'\n" for rank in range(4)) + (
    "[rank2]: RuntimeError: NCCL communicator was aborted on rank 2.\n"
    "srun: error: node07: tasks 0-3: Exited with exit code 1\n"
)


def test_the_common_exception_of_all_ranks_is_the_answer() -> None:
    assert said("first-error", ALL_RANKS) == snapshot(
        [
            (
                "application-error",
                "critical",
                "likely",
                "the first of 6 errors, on 4 ranks (0, 1, 2 and 3): KeyError: 'hidden_size'",
            )
        ]
    )


def test_words_that_nobody_knows() -> None:
    text = (
        "2031-04-05 06:07:08,1 - mill - INFO - starts\n"
        "[rank12]: acme.store.ShardException: shard 7 is torn\n"
        "[rank3]: ConnectionResetError: [Errno 104] Connection reset by peer\n"
        "[rank4]: BrokenPipeError: [Errno 32] Broken pipe\n"
    )
    assert said("first-error", text) == snapshot(
        [
            (
                "application-error",
                "critical",
                "likely",
                "the first of 3 errors, on rank 12: acme.store.ShardException: shard 7 is torn",
            )
        ]
    )


def test_tasks_that_were_killed_and_nobody_says_why() -> None:
    text = "srun: error: nid001: task 12: Killed\nsrun: error: nid002: task 19: Killed\n"
    assert said("first-error", text) == snapshot(
        [
            (
                "rank-lost",
                "critical",
                "possible",
                "the first of 2 errors, on nid001 and nid002: "
                "srun: error: nid001: task 12: Killed; why it ended, this output does not show",
            )
        ]
    )


def test_causes_that_the_words_tell() -> None:
    causes = {
        "[rank3]: RuntimeError: HIP error: out of memory": "gpu-out-of-memory",
        "[rank3]: RuntimeError: CUDA error: invalid device ordinal": "gpus-over-requested",
        "OSError: [Errno 24] Too many open files: '/data/shard-7'": "file-descriptor-limit",
        "train.py: error: unrecognized arguments: --fine": "rank-start-failed",
        "ModuleNotFoundError: No module named 'mill'": "rank-start-failed",
        "RuntimeError: the mill is dry": "application-error",
    }
    assert {line: said("first-error", f"{line}\n")[0][0] for line in causes} == causes


def test_an_error_that_the_program_goes_on_after_is_a_warning() -> None:
    text = "ERROR:loader:the cache is cold\n" + "".join(f"step {n} loss 1.5\n" for n in range(400))
    assert said("first-error", text) == snapshot(
        [("application-error", "warning", "possible", "an error: loader:the cache is cold")]
    )


def test_an_error_at_the_end_is_an_error() -> None:
    text = "".join(f"step {n} loss 1.5\n" for n in range(400)) + "ERROR:loader:the cache is cold\n"
    assert [severity for _, severity, *_ in said("first-error", text)] == ["error"]


def test_a_run_that_follows_overcomes_it() -> None:
    assert [severity for _, severity, *_ in said("first-error", "ERROR: no corn\n" + table())] == ["warning"]


def test_silent_where_somebody_ended_the_job() -> None:
    text = "KeyboardInterrupt\nsrun: error: nid001: task 12: Terminated\n"
    assert findings_of("first-error", text) == ()


def test_silent_where_no_line_is_marked() -> None:
    assert findings_of("first-error", table()) == ()


def test_no_program_named_is_still_an_error_of_one() -> None:
    assert said("first-error", "terminate called without an active exception\n")[0][:2] == (
        "application-error",
        "critical",
    )


def test_silent_where_the_scheduler_ended_the_job_at_its_limit() -> None:
    text = (
        "slurmstepd: error: *** STEP 7.0 ON gpu01 CANCELLED AT 2031-02-03T04:05:06 DUE TO TIME LIMIT ***\n"
        "srun: error: gpu01: task 0: Terminated\n"
    )
    assert findings_of("first-error", text) == ()


def test_silent_where_srun_was_told_to_end_its_step() -> None:
    text = "srun: forcing job termination\nsrun: error: gpu01: task 0: Killed\nsrun: error: gpu02: task 1: Killed\n"
    assert findings_of("first-error", text) == ()


def test_what_is_raised_after_an_interrupt_is_not_why_the_program_ended() -> None:
    stop = "[WARNING] Received Signals.SIGINT death signal, shutting down workers\n"
    raised = "Traceback (most recent call last):\nKeyError: 'hidden_size'\n"
    assert findings_of("first-error", stop + raised) == ()
    assert [cause for cause, *_ in said("first-error", raised + stop)] == ["application-error"]


def test_a_line_after_which_the_job_went_on_is_no_error_of_it() -> None:
    error = "df: /root/.cache/kernels: No such file or directory\n"
    steps = "".join(f"step:{number}/500 train_loss:3.1 step_avg:81.{number}ms\n" for number in range(10, 40))
    assert findings_of("first-error", steps + error) != ()
    assert findings_of("first-error", error + steps) == ()


@pytest.mark.parametrize(
    "status", ["exit status 226", "exit code: 1", "check.sh exited with code 1", "job exit status: 3"]
)
def test_the_exit_status_of_a_tool_is_no_end_of_a_job(status: str) -> None:
    shown = "Mon Jan  5 10:00:00 2026\n+---+\n| GPU 00000000:0F:00.0 |\n"
    query = "$ nvidia-smi --query-gpu=index,persistence_mode --format=csv\nindex, persistence_mode\n0, Enabled\n"
    (found,) = said("first-error", shown + query + status + "\n")
    assert found[:3] == ("tool-failed", "warning", "possible")


@pytest.mark.parametrize(
    "text",
    [
        "$ curl -sf http://registry/health\nexit code: 1\n",
        "    $ mill --check /data\n    412 files\n    exit code: 1\n",
    ],
)
def test_a_bare_status_names_no_job(text: str) -> None:
    (found,) = said("first-error", text)
    assert found[:2] == ("tool-failed", "warning")


def test_the_exit_status_below_a_job_is_its_end() -> None:
    query = "$ nvidia-smi --query-gpu=index,persistence_mode --format=csv\nindex, persistence_mode\n0, Enabled\n"
    text = query + "srun: error: node07: tasks 0-3: Exited with exit code 1\nexit status 1\n"
    assert said("first-error", text) == []  # rank-lost knows it
    assert [found[1] for found in said("rank-lost", text)] == ["critical"]


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("out of memory", "out of memory"),
        ("out of memory. Tried to allocate 2.50 GiB. GPU 3 has", "out of memory. Tried to allocate 2.50 GiB. ..."),
        (
            "the process that needed more of it than there was left of it",
            "the process that needed more of it than there was ...",
        ),
        ("x" * 60, "x" * 50 + " ..."),
        ("", ""),
    ],
)
def test_long_words_of_a_program_end_where_a_sentence_or_a_word_does(words: str, shown: str) -> None:
    assert shortened(words, 50) == shown
