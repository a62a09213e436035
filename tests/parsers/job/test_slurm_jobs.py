"""What Slurm's lists say of jobs that ended or wait."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.model.source import Line
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.lines import form_of
from slowlink.parsers.job.slurm_jobs import SlurmJobs

SACCT = """\
JobID           JobName  Partition    Account  AllocCPUS      State ExitCode
------------ ---------- ---------- ---------- ---------- ---------- --------
4711              train        gpu     proj01       1024     FAILED      1:0
4711.batch        batch                proj01        128     FAILED      1:0
4711.0           python                proj01       1024 OUT_OF_ME+    0:125
4712              train        gpu     proj01       1024 CANCELLED+      0:0
4712.0           python                proj01       1024 CANCELLED+      0:9
4713              train        gpu     proj01       1024    TIMEOUT      0:0
4714              train        gpu     proj01       1024  NODE_FAIL      1:0
4715              train        gpu     proj01       1024     FAILED      0:6
4716              train        gpu     proj01       1024    RUNNING      0:0
"""
BARS = "JobID|State|ExitCode|DerivedExitCode\n4711|CANCELLED by 1000|0:0|0:0\n4711_3|FAILED|0:0|7:0\n4718|BOOT_FAIL|1:0|0:0\n"
SQUEUE = """\
             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)
              4711       gpu    train      bob PD       0:00      8 (ReqNodeNotAvail, UnavailableNodes:gpu[02-03])
              4710       gpu my train      bob PD       0:00      8 (PartitionNodeLimit)
              4709       gpu    train      bob  R    1:02:03      8 gpu[04-11]
"""
LOST_PLACES = (
    "JOBID PARTITION NAME USER ST TIME NODES NODELIST(REASON)\n4711 gpu train bob PD 0:00 8 (BadConstraints)\n"
)
SHOWN = """\
JobId=4711 JobName=train
   UserId=bob(1000) GroupId=bob(1000) MCS_label=N/A
   JobState=FAILED Reason=NonZeroExitCode Dependency=(null)
   Requeue=1 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=3:0
   DerivedExitCode=0:0
JobId=4712 JobName=train
   JobState=PENDING Reason=Resources Dependency=(null)
"""
ALL = SACCT + BARS + SQUEUE + LOST_PLACES + SHOWN


def read(text: str) -> list[tuple[str, str | None, dict[str, str], bool]]:
    parser = SlurmJobs()
    for number, line in enumerate(text.splitlines(), 1):
        if parser.wants(line):
            parser.feed(Line("log", number, line))
    return [(event.kind, event.host, dict(event.groups), event.secondary) for event in parser.finish()]


def test_how_jobs_ended() -> None:
    assert read(SACCT) == snapshot(
        [
            ("slurm-task-exit", None, {"job": "4711", "code": "1"}, False),
            ("slurm-task-exit", None, {"job": "4711.batch", "code": "1"}, False),
            ("slurm-oom", None, {"job": "4711.0"}, False),
            ("slurm-cancelled", None, {"job": "4712"}, False),
            ("slurm-cancelled", None, {"job": "4712.0"}, True),
            ("slurm-time-limit", None, {"job": "4713"}, False),
            ("slurm-node-fail", None, {"job": "4714"}, False),
            ("slurm-task-exit", None, {"job": "4715", "signal": "6"}, False),
        ]
    )


def test_how_jobs_ended_between_bars() -> None:
    assert read(BARS) == snapshot(
        [
            ("slurm-cancelled", None, {"job": "4711"}, False),
            ("slurm-task-exit", None, {"job": "4711_3", "code": "7"}, False),
            ("slurm-launch-failed", None, {"job": "4718"}, False),
        ]
    )


def test_why_jobs_wait() -> None:
    assert read(SQUEUE) == snapshot(
        [
            (
                "slurm-nodes-unavailable",
                "gpu02",
                {"job": "4711", "reason": "ReqNodeNotAvail, UnavailableNodes:gpu[02-03]"},
                False,
            ),
            (
                "slurm-nodes-unavailable",
                "gpu03",
                {"job": "4711", "reason": "ReqNodeNotAvail, UnavailableNodes:gpu[02-03]"},
                False,
            ),
            ("slurm-invalid", None, {"job": "4710", "error": "PartitionNodeLimit"}, False),
        ]
    )


def test_a_request_that_never_fits_where_blanks_were_lost() -> None:
    assert read(LOST_PLACES) == snapshot([("slurm-invalid", None, {"job": "4711", "error": "BadConstraints"}, False)])


def test_a_job_by_itself() -> None:
    assert read(SHOWN) == snapshot(
        [
            ("slurm-task-exit", None, {"job": "4711", "code": "3"}, False),
            ("slurm-pending", None, {"job": "4712", "reason": "Resources"}, False),
        ]
    )


def test_a_job_that_did_its_work_makes_those_before_it_history() -> None:
    done = "4717              train        gpu     proj01       1024  COMPLETED      0:0\n"
    assert read(SACCT + done) == []
    assert len(read(SACCT + done.replace("4717 ", "4717.0"))) == len(read(SACCT))


TREE = """\
JobID          JobName    Start             Elapsed Tasks CPUs Nodes ExitCode State
4711           mill       2031-04-10T19:05 00:00:00  none    1     1      1:0 FAILED
 \u2514\u2500\u2500batch      *          2031-04-10T19:05 00:00:00     1    1     1      1:0 FAILED
4712           mill       2031-04-10T19:07 00:02:30  none    5     1      0:0 COMPLETED
 \u2514\u2500\u2500batch      *          2031-04-10T19:07 00:02:30     1    1     1      0:0 COMPLETED
"""


def test_steps_that_a_listing_draws_below_their_jobs_do_not_end_it() -> None:
    assert read(TREE) == []
    assert len(read("".join(TREE.splitlines(keepends=True)[:3]))) == 1


def test_of_the_jobs_of_several_people_none_is_the_one() -> None:
    of_two = "JobID|User|State|ExitCode\n4711|ann|FAILED|1:0\n4712|bob|TIMEOUT|0:0\n"
    assert read(of_two) == []


@pytest.mark.parametrize(
    "text",
    ["the job FAILED after 3 steps", "rank 0 is RUNNING", "JOBID", "---- ----", "ExitCode=1:0", "JobState=FAILED"],
)
def test_other_lines_are_nobody_s(text: str) -> None:
    assert SlurmJobs().feed(Line("log", 1, text)) is Use.NOT_MINE


def test_every_line_is_wanted_by_its_form() -> None:
    for line in ALL.splitlines():
        assert SlurmJobs.wants(form_of(line).decode()) == SlurmJobs.wants(line), line


@given(st.lists(st.sampled_from(ALL.splitlines()) | st.text(max_size=40), max_size=12), st.integers(0, 60))
def test_any_order_and_any_cut_gives_events_of_jobs(lines: list[str], cut: int) -> None:
    for kind, host, groups, _ in read("\n".join(lines)[: -cut or None]):
        assert kind.startswith("slurm-")
        assert host is None or host
        assert groups["job"][0].isdigit()
