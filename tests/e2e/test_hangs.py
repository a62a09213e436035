"""Hanging jobs from their files to the whole answer, and the labelled corpus where it lies beside the checkout."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import pytest
from inline_snapshot import snapshot

import ras_answers as ras
from hang_jobs import Dump, data_parallel, dump, entry, save, status
from slowlink.report import render
from slowlink.workflows.analyze import analyze

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpus" / "hang"


def answer(*paths: str) -> str:
    """The whole text but for its list of rules, which grows with every rule."""
    return render(analyze(list(paths)), "full", color=False, width=100).split("\nRules:")[0]


def experts(stuck: tuple[int, ...]) -> dict[int, Dump]:
    """Eight ranks; experts over [0-3] and [4-7], a pipeline from each rank to the one four above."""
    groups: dict[str, tuple[str, list[int]]] = {
        "0": ("default_pg", list(range(8))),
        "1": ("EXPERT_MODEL_PARALLEL_GROUP", [0, 1, 2, 3]),
        "2": ("EXPERT_MODEL_PARALLEL_GROUP", [4, 5, 6, 7]),
        **{str(3 + n): ("PIPELINE_MODEL_PARALLEL_GROUP", [n, n + 4]) for n in range(4)},
    }
    found = {}
    for rank in range(8):
        mine = {name: group for name, group in groups.items() if rank in group[1]}
        _, expert, pipeline = sorted(mine)
        entries = []
        if rank < 4:
            entries.append(
                entry(
                    9,
                    70,
                    operation="send 0->1",
                    group=(pipeline, mine[pipeline][0]),
                    group_id=2,
                    p2p=True,
                    state="scheduled",
                )
            )
        elif rank not in stuck:
            entries.append(
                entry(9, 4711, operation="all_to_all", group=(expert, mine[expert][0]), group_id=1, state="scheduled")
            )
        last = 4711 if rank >= 4 and rank not in stuck else 4710
        found[rank] = dump(
            entries, mine, {"0": status(3, 3), "1": status(last, 4710), "2": status(70 if rank < 4 else 69, 69)}
        )
    return found


def test_two_ranks_that_hold_up_all_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    save(experts(stuck=(5, 6)), Path("dumps"))
    assert answer("dumps") == snapshot("""\
BROKEN  ranks 5 and 6 did not reach all_to_all 4711 of EXPERT_MODEL that 2 others wait in, and 4
        more behind them

A rank did not arrive at the collective  [rank-stuck, found by flight-recorder-hang]  critical,
likely
  where      ranks [5-6]
  how sure   likely: the lines below point to it, other causes are not excluded
  evidence   nccl_trace_rank_5  rank 5, pg 2 "EXPERT_MODEL_PARALLEL_GROUP": last_enqueued_collective
             4710
               expected all_to_all 4711 enqueued; and 1 line like it, up to nccl_trace_rank_6
             nccl_trace_rank_4  rank 4, pg 2 "EXPERT_MODEL_PARALLEL_GROUP": all_to_all 4711
             scheduled
               observed 2 ranks in it
  do         Read the stack of the rank that the others wait for.
             $ py-spy dump --pid PID
             See whether the GPU or its driver failed on the node of this rank.
             $ dmesg -T | grep -i -E 'xid|nvrm|oom'
  see        https://pytorch.org/docs/stable/distributed.html

Read
  dumps/nccl_trace_rank_0  (flight-recorder)  1,077 bytes, no text
  dumps/nccl_trace_rank_1  (flight-recorder)  1,077 bytes, no text
  dumps/nccl_trace_rank_2  (flight-recorder)  1,077 bytes, no text
  dumps/nccl_trace_rank_3  (flight-recorder)  1,077 bytes, no text
  dumps/nccl_trace_rank_4  (flight-recorder)  1,080 bytes, no text
  dumps/nccl_trace_rank_5  (flight-recorder)  525 bytes, no text
  dumps/nccl_trace_rank_6  (flight-recorder)  525 bytes, no text
  dumps/nccl_trace_rank_7  (flight-recorder)  1,080 bytes, no text
""")


def test_a_job_that_ras_saw_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("first.txt").write_text(ras.answer(41, 40), encoding="utf-8")
    Path("later.txt").write_text(ras.answer(41, 40), encoding="utf-8")
    assert answer("first.txt", "later.txt") == snapshot("""\
BROKEN  ranks 2 and 5 of communicator 00c0ffee12345678 stay at AllReduce 40 while 6 others wait at
        41: two answers of RAS show no progress

A rank did not arrive at the collective  [rank-stuck, found by ras-stuck-mismatch]  critical, likely
  where      ranks [2,5]; nodes 10.1.0.[8-9]
  how sure   likely: the lines below point to it, other causes are not excluded
  evidence   later.txt:25  Communicator ranks have different AllReduce operation counts
               and 1 line like it, up to first.txt:25
             later.txt:28  Rank 2 -- GPU 2 managed by process 4103 on node 10.1.0.8
             later.txt:29  Rank 5 -- GPU 1 managed by process 4202 on node 10.1.0.9
  do         Read the stack of the rank that the others wait for.
             $ py-spy dump --pid PID
             See whether the GPU or its driver failed on the node of this rank.
             $ dmesg -T | grep -i -E 'xid|nvrm|oom'
  see        https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting/ras.html

Known from the input
  nccl=2.28.7

Read
  first.txt  (nccl-log, nccl-ras)  30 lines: 14 used, 16 ignored, 0 unread
  later.txt  (nccl-log, nccl-ras)  30 lines: 14 used, 16 ignored, 0 unread
""")


def test_a_single_answer_of_ras_with_a_mismatch_names_the_ranks_and_is_no_alarm(tmp_path: Path) -> None:
    (tmp_path / "ras.txt").write_text(ras.answer(41, 40), encoding="utf-8")
    report = analyze(tmp_path)
    (found,) = report.diagnoses
    assert (report.verdict, found.cause, found.severity, found.confidence, found.message) == (
        "inconclusive",
        "rank-stuck",
        "warning",
        "possible",
        "ranks 2 and 5 are behind: AllReduce 40 while 6 others have launched 41; one answer of RAS is a moment",
    )


def test_starting_and_ending_communicators_are_no_alarm(tmp_path: Path) -> None:
    (tmp_path / "ras.txt").write_text(
        ras.JOB + ras.FINE.replace(" RUNNING ", "FINALIZE ") + ras.STATUS, encoding="utf-8"
    )
    report = analyze(tmp_path)
    assert (report.verdict, report.diagnoses) == ("inconclusive", ())


def test_ras_without_an_error_is_healthy(tmp_path: Path) -> None:
    (tmp_path / "ras.txt").write_text(ras.VERSION + ras.JOB + ras.FINE, encoding="utf-8")
    assert analyze(tmp_path).headline == snapshot(
        "healthy: RAS lists 1 communicator over 8 GPUs, all running and none with an error"
    )


def test_dumps_of_a_job_that_is_through_are_no_alarm(tmp_path: Path) -> None:
    report = analyze(save(data_parallel({0: 8, 1: 8}, completed=8), tmp_path / "d"))
    assert (report.verdict, report.diagnoses) == ("inconclusive", ())
    assert report.headline == snapshot(
        "inconclusive: 2 binary files read (flight-recorder), and nothing in them allows a conclusion"
    )


def test_cut_dumps_are_no_alarm(tmp_path: Path) -> None:
    folder = save(data_parallel({0: 8, 1: 8, 2: 7}, completed=7), tmp_path / "d")
    for path in folder.iterdir():
        path.write_bytes(path.read_bytes()[:300])
    report = analyze(folder)
    assert (report.verdict, report.diagnoses) == ("inconclusive", ())
    assert {entry.problem for entry in report.inputs} == {"damaged: the pickle ends early"}


def test_an_archive_says_the_same_as_its_folder(tmp_path: Path) -> None:
    folder = save(experts(stuck=(5,)), tmp_path / "dumps", protocol=4)
    with tarfile.open(tmp_path / "dumps.tar.xz", "w:xz") as archive:
        archive.add(folder, "dumps")
    plain, packed = analyze(folder), analyze(tmp_path / "dumps.tar.xz")
    assert plain.headline == packed.headline
    assert plain.facts["flight_entries"] == packed.facts["flight_entries"]


def test_facts_of_dumps(tmp_path: Path) -> None:
    (tmp_path / "fault.log").write_text("Fault ranks: [5, 6]\nFault delay: 12.5\nRank 5, fault_type: SIGSTOP\n")
    facts = analyze(str(save(experts(stuck=(5, 6)), tmp_path))).facts
    found = {name: value for name, value in facts.items() if name.startswith(("flight_", "injected_"))}
    assert found.pop("flight_waits") != []
    assert found == snapshot(
        {
            "flight_dumps": 8,
            "flight_versions": ["2.5"],
            "flight_nccl": ["2.21.5"],
            "flight_ranks": 8,
            "flight_missing_ranks": [],
            "flight_unreadable_ranks": [],
            "flight_suspect_ranks": [5, 6],
            "flight_groups": {
                "0": [0, 1, 2, 3, 4, 5, 6, 7],
                "1": [0, 1, 2, 3],
                "3": [0, 4],
                "4": [1, 5],
                "5": [2, 6],
                "6": [3, 7],
                "2": [4, 5, 6, 7],
            },
            "flight_entries": {"0": 1, "1": 1, "2": 1, "3": 1, "4": 1, "5": 0, "6": 0, "7": 1},
            "flight_states": {
                "0": {"scheduled": 1},
                "1": {"scheduled": 1},
                "2": {"scheduled": 1},
                "3": {"scheduled": 1},
                "4": {"scheduled": 1},
                "5": {},
                "6": {},
                "7": {"scheduled": 1},
            },
            "flight_oldest_unfinished": {
                "0": {"PIPELINE_MODEL": 70},
                "1": {"PIPELINE_MODEL": 70},
                "2": {"PIPELINE_MODEL": 70},
                "3": {"PIPELINE_MODEL": 70},
                "4": {"EXPERT_MODEL": 4711},
                "5": {},
                "6": {},
                "7": {"EXPERT_MODEL": 4711},
            },
            "flight_last_enqueued": {
                "0": {"0": 3, "1": 4710, "3": 70},
                "1": {"0": 3, "1": 4710, "4": 70},
                "2": {"0": 3, "1": 4710, "5": 70},
                "3": {"0": 3, "1": 4710, "6": 70},
                "4": {"0": 3, "2": 4711, "3": 69},
                "5": {"0": 3, "2": 4710, "4": 69},
                "6": {"0": 3, "2": 4710, "5": 69},
                "7": {"0": 3, "2": 4711, "6": 69},
            },
            "flight_last_started": {
                "0": {"0": -1, "1": -1, "3": -1},
                "1": {"0": -1, "1": -1, "4": -1},
                "2": {"0": -1, "1": -1, "5": -1},
                "3": {"0": -1, "1": -1, "6": -1},
                "4": {"0": -1, "2": -1, "3": -1},
                "5": {"0": -1, "2": -1, "4": -1},
                "6": {"0": -1, "2": -1, "5": -1},
                "7": {"0": -1, "2": -1, "6": -1},
            },
            "flight_last_completed": {
                "0": {"0": 3, "1": 4710, "3": 69},
                "1": {"0": 3, "1": 4710, "4": 69},
                "2": {"0": 3, "1": 4710, "5": 69},
                "3": {"0": 3, "1": 4710, "6": 69},
                "4": {"0": 3, "2": 4710, "3": 69},
                "5": {"0": 3, "2": 4710, "4": 69},
                "6": {"0": 3, "2": 4710, "5": 69},
                "7": {"0": 3, "2": 4710, "6": 69},
            },
            "flight_differences": [],
            "injected_ranks": [5, 6],
            "injected_faults": ["SIGSTOP"],
            "injected_delay_s": [12.5],
        }
    )


def test_facts_of_ras(tmp_path: Path) -> None:
    (tmp_path / "ras.txt").write_text(ras.answer(41, 40), encoding="utf-8")
    facts = analyze(tmp_path).facts
    assert {name: value for name, value in facts.items() if name.startswith("ras_")} == snapshot(
        {
            "ras_answers": 1,
            "ras_nccl": ["2.28.7"],
            "ras_timestamps": [],
            "ras_cuda_runtime": [12090],
            "ras_cuda_driver": [12080],
            "ras_nodes": [2],
            "ras_processes": [8],
            "ras_gpus": [8],
            "ras_outlier_nodes": [],
            "ras_communicators": [1],
            "ras_hashes": ["00c0ffee12345678"],
            "ras_sizes": [8],
            "ras_ranks_present": [],
            "ras_status": ["RUNNING"],
            "ras_errors": ["MISMATCH"],
            "ras_error_counts": {},
            "ras_error_codes": [],
            "ras_missing_ranks": [],
            "ras_missing_processes": [],
            "ras_missing_hosts": [],
            "ras_unresponsive": [],
            "ras_considered_dead": [],
            "ras_timeouts": 2,
            "ras_mismatches": 1,
            "ras_status_shares": [],
            "ras_ranks_ahead": [6],
            "ras_ranks_behind": [2],
            "ras_operation_ahead": [41],
            "ras_operation_behind": [40],
            "ras_behind": [[2, 5]],
            "ras_collectives": ["AllReduce"],
        }
    )


@pytest.mark.corpus
@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not beside this checkout")
@pytest.mark.parametrize(
    ("name", "ranks"),
    [("gpu_error_1st", ["12", "14"]), ("lock_gil_1st", ["9", "14"])],
)
def test_injected_faults_are_found_without_the_injectors_note(name: str, ranks: list[str], tmp_path: Path) -> None:
    for path in sorted((CORPUS / f"nvrx-fr-{name}").glob("_dump_*")):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    for place in (tmp_path, CORPUS / f"nvrx-fr-{name}-as-json.txt"):
        report = analyze(place)
        assert report.verdict == "broken"
        assert [s.name for s in report.diagnoses[0].suspects] == ranks
        assert report.diagnoses[0].confidence == "likely"


def test_the_report_is_json_throughout(tmp_path: Path) -> None:
    report = analyze(save(experts(stuck=(5,)), tmp_path))
    assert json.loads(render(report, "json"))["facts"]["flight_suspect_ranks"] == [5]
