"""Libraries of MPI log errors in runs that end well. Own samples, in the form of Open MPI, UCX and SHARP."""

from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from text_findings import findings_of, said

GRUMBLES = (
    "[gn-07:21433] PMIX ERROR: PMIX_ERR_OUT_OF_RESOURCE in file base/bfrop_base_unpack.c at line 843\n",
    "[gn-07:21433] PRTE ERROR: Not found in file plm_base_launch_support.c at line 612\n",
    "[17.1] [gn-07:21440:0]  mm_iface.c:821  UCX  ERROR mm ep failed to connect to remote FIFO id 0xc01: no memory\n",
    "[gn-07:0:21433 - comm.c:58][2026-11-02 10:11:12] ERROR sharp_get_job_data_len failed: no SHARP resources\n",
    "hcoll: [gn-07:21440] Error: Failed to init rcache\n",
)
TABLE = (
    "# nThread 1 nGpus 1 minBytes 1048576 maxBytes 2097152 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1\n"
    "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw\n"
    "     1048576        262144     float     sum      -1    25.10   41.78   41.78      0    25.20   41.61   41.61      0\n"
    "     2097152        524288     float     sum      -1    30.10   69.67   69.67      0    30.20   69.44   69.44      0\n"
    "# Out of bounds values : 0 OK\n"
    "# Avg bus bandwidth    : 55.6250\n"
)
OSU = "# OSU MPI Allreduce Latency Test v7.3\n# Size       Avg Latency(us)\n4                       2.11\n8     2.12\n"
RULES = ("launcher-failed", "first-error")


@pytest.mark.parametrize("end", [TABLE, OSU, "Training completed in 71 s\n"], ids=["table", "osu", "job"])
@pytest.mark.parametrize("rule", RULES)
def test_a_run_that_came_to_its_end_needed_none_of_it(rule: str, end: str) -> None:
    before, after = "".join(GRUMBLES) + end, end + "".join(GRUMBLES)
    assert findings_of(rule, before) == ()
    assert findings_of(rule, after) == ()


def test_where_nothing_ran_it_is_why_the_ranks_did_not_start() -> None:
    assert [found[:3] for found in said("launcher-failed", GRUMBLES[0])] == [("launcher-failed", "critical", "certain")]


def test_a_process_that_ended_badly_takes_the_excuse_away() -> None:
    died = "srun: error: gn-07: task 3: Segmentation fault (core dumped)\n"
    found = said("launcher-failed", GRUMBLES[0] + TABLE + died)
    assert [each[:3] for each in found] == [("launcher-failed", "warning", "possible")]


def test_what_a_program_itself_calls_an_error_stays() -> None:
    text = "[rank0]: RuntimeError: shapes do not fit\n" + GRUMBLES[0] + "Training completed in 71 s\n"
    assert [found[0] for found in said("first-error", text)] == ["application-error"]


PEER_LOST = (
    "slurmstepd: error:  mpi/pmix_v4: _errhandler: gn-07 [0]: pmixp_client_v2.c:211: Error handler invoked: "
    "status = -61, source = [slurm.pmix.4711.0:3]\n"
)
COLLECTIVE = (
    "slurmstepd: error:  mpi/pmix_v4: pmixp_coll_ring_check: gn-07 [0]: pmixp_coll_ring.c:614: 0x14cf0: unexpected "
    "contrib from gn-08:1, expected is 2\n"
)


@pytest.mark.parametrize("line", [PEER_LOST, COLLECTIVE])
@pytest.mark.parametrize("rule", [*RULES, "rank-lost", "program-said"])
def test_slurms_plug_in_for_pmix_grumbles_too(rule: str, line: str) -> None:
    assert findings_of(rule, line + TABLE) == ()
    assert findings_of(rule, TABLE + line) == ()
    assert findings_of(rule, line + "== exit code 0, elapsed 00:01:12 ==\n") == ()


def test_a_process_that_left_pmix_is_no_start_that_failed() -> None:
    assert findings_of("launcher-failed", PEER_LOST) == ()
    assert said("rank-lost", PEER_LOST) == snapshot(
        [
            (
                "rank-lost",
                "critical",
                "likely",
                "a rank on gn-07 went away without an error of its own, as its peers report",
            )
        ]
    )
    assert [found[:3] for found in said("launcher-failed", COLLECTIVE)] == [("launcher-failed", "critical", "certain")]
