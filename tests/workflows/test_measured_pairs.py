"""Pairs that others measured: what ``isolate --from`` makes of logs, sheets and summaries, and what it decides."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from slowlink.bundle import BundleWriter
from slowlink.model.isolation import Outcome, Verdict
from slowlink.model.plan import Ended
from slowlink.report.isolation import isolation_text
from slowlink.simulate.job import SimulatedJob, job_log
from slowlink.simulate.nccl_log_output import LoggedCluster
from slowlink.workflows.isolating.measured_pairs import measured_pairs, search_of, with_the_rest

NAMES = tuple(f"hx{number:02}" for number in range(1, 11))
PAIRS = tuple(combinations(NAMES, 2))
GPUS_1, GPUS_4 = "all_reduce on 2 ranks of 2 nodes", "all_reduce on 8 ranks of 2 nodes"


def decided(outcomes: Sequence[Outcome]) -> Verdict:
    return search_of(outcomes, {}, 0.99).verdict()


def log(one: str, other: str, gbs: float, gpus: int = 1, rows: int | None = None) -> str:
    return job_log(
        SimulatedJob(
            LoggedCluster(hosts=(one, other), gpus=gpus),
            plateau_gbs=gbs,
            smallest_bytes=1 << 30,
            largest_bytes=8 << 30,
            logged=False,
            command=False,
            rows_before_death=rows,
        )
    )


def test_logs_a_sheet_and_a_log_that_never_began(tmp_path: Path) -> None:
    names = NAMES[:4]
    for one, other in combinations(names, 2):
        (tmp_path / f"run_{one}_{other}.log").write_text(log(one, other, 100.0))
    (tmp_path / f"run_{names[0]}_{names[3]}.log").write_text("ssh: timed out\n")
    (tmp_path / f"note_{names[0]}.txt").write_text("nothing here\n")
    rows = "\n".join(f"{one},{other},{100.0}" for one, other in combinations(names, 2))
    (tmp_path / "sheet.csv").write_text(f"node1,node2,busbw\n{rows}\n")
    found = measured_pairs([str(tmp_path)]).outcomes
    assert sorted((outcome.pair, outcome.kind, outcome.gbs is None) for outcome in found) == sorted(
        [(pair, GPUS_1, pair == (names[0], names[3])) for pair in combinations(names, 2)]
        + [(pair, "", False) for pair in combinations(names, 2)]
    )


def test_of_several_sizes_the_upper_ones_count(tmp_path: Path) -> None:
    rows = [f"{a},{b},{size},{size / 1024}" for a, b in PAIRS[:12] for size in (1024, 8192, 32768)]
    (tmp_path / "sheet.csv").write_text("node1,node2,size,busbw\n" + "\n".join(rows))
    assert {outcome.gbs for outcome in measured_pairs([str(tmp_path)]).outcomes} == {20.0}


def test_pairs_of_which_only_the_failure_is_told(tmp_path: Path) -> None:
    (tmp_path / "summary.txt").write_text(
        "Unique failed node pairs:  4\n  - (hx01, hx02)\n  - (hx01, hx03)\n  - (hx01, hx04)\n  - (hx05, hx06)\n"
    )
    verdict = decided(measured_pairs([str(tmp_path)]).outcomes)
    assert [(each.node, each.pairs, each.of) for each in verdict.recurs] == [("hx01", 3, 4)]
    assert (verdict.bad, verdict.paths, verdict.is_healthy) == ((), (), False)


def four(pair: tuple[str, str], slow: str, partners: int) -> float | None:
    """What a pair gives on four GPUs, where ``slow`` is so with that many partners, and does not finish with one."""
    index = [name for name in NAMES if name != slow].index(next(iter({*pair} - {slow}))) if slow in pair else 99
    return None if index == 0 else 60.0 if index < partners else 100.0


def test_a_node_that_is_slow_in_one_kind_of_test_and_with_most_partners() -> None:
    outcomes = [Outcome(pair, four(pair, "hx03", 6), 1, GPUS_4) for pair in PAIRS]
    outcomes += [Outcome(pair, 13.5, 1, GPUS_1) for pair in PAIRS]
    verdict = decided(outcomes)
    assert verdict.paths == ()
    assert isolation_text(verdict, len(NAMES)) == snapshot("""\
DEGRADED  1 of 10 nodes is slow with most partners: hx03

  node     hx03: gives 60% of what is usual in 6 of its 9 tests, 1 of which did not finish, with 6
           of 9 partners; this in all_reduce on 8 ranks of 2 nodes, and as fast as others in
           all_reduce on 2 ranks of 2 nodes: only a part of it
  good     9 nodes: hx[01-02,04-10]
  sure     nobody sound is blamed in 99.0% of such searches; sound groups differ by 0.3%; a node
           slower by 3.7% is found nine times out of ten
  cost     90 tests, 180 times a node\
""")


def test_a_node_that_is_slow_with_few_of_many_partners_is_not_blamed() -> None:
    outcomes = [Outcome(pair, four(pair, "hx03", 3), 1, GPUS_4) for pair in PAIRS]
    verdict = decided(outcomes)
    assert verdict.bad == ()
    assert [each.nodes for each in verdict.open] == [("hx01", "hx03"), ("hx02", "hx03"), ("hx03", "hx04")]
    assert [each.node for each in verdict.recurs] == ["hx03"]
    twice = decided([*outcomes, *outcomes])
    assert (twice.bad, twice.paths) == ((), ())
    assert [(each.nodes, each.why) for each in twice.open] == [
        (("hx03",), "slow with 3 of 9 partners: too many for paths, too few to blame it")
    ]


def test_a_pair_that_was_slow_in_both_tests_is_a_path_and_once_is_open() -> None:
    slow = PAIRS[7]
    outcomes = [Outcome(pair, 50.0 if pair == slow else 100.0, 1, kind) for pair in PAIRS for kind in ("a", "b")]
    verdict = decided(outcomes)
    assert (verdict.bad, [path.ends for path in verdict.paths]) == ((), [slow])
    once = decided([each for each in outcomes if each.kind == "a"])
    assert (once.paths, [each.nodes for each in once.open]) == ((), [slow])


def test_noise_in_one_kind_of_test_hides_no_path_of_another() -> None:
    """In the noisy kind every third pair is slow; that makes no path, and the steady kinds' path is still one."""
    slow = PAIRS[7]
    outcomes = [Outcome(pair, 50.0 if pair == slow else 100.0, 1, kind) for pair in PAIRS for kind in ("a", "b")]
    outcomes += [Outcome(pair, 80.0 if index % 3 == 0 else 100.0, 1, "noisy") for index, pair in enumerate(PAIRS)]
    verdict = decided(outcomes)
    assert (verdict.bad, [path.ends for path in verdict.paths]) == ((), [slow])
    assert [(each.kind, each.slow, each.tests) for each in verdict.uneven] == [("noisy", 15, 44)]
    assert "noisy: 15 of 44 tests of sound nodes were slow" in isolation_text(verdict, len(NAMES))


def pairs_in(place: Path, nodes: Sequence[str], dead: str = "", what: bytes = b"") -> Path:
    """Logs of all pairs of ``nodes``; ``what`` stands in those of ``dead``."""
    for one, other in combinations(nodes, 2):
        path = place / f"run_{one}_{other}.log"
        path.write_bytes(what if dead in (one, other) else log(one, other, 100.0).encode())
    return place


def told(place: Path) -> Verdict:
    found = measured_pairs([str(place)])
    return with_the_rest(decided(found.outcomes), found)


@pytest.mark.parametrize(
    ("what", "problem"),
    [
        (b"", "empty"),
        (bytes(3000), "NUL"),
        (b"7z\xbc\xaf\x27\x1c" + bytes(range(200)), "a 7z archive"),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(200)), "an image"),
        (gzip.compress(b"x" * 9000, mtime=0)[:-20], "gzip"),
    ],
)
def test_what_was_not_read_is_named_and_nothing_is_healthy(tmp_path: Path, what: bytes, problem: str) -> None:
    """All tests of one node: without them nobody would miss it."""
    verdict = told(pairs_in(tmp_path, NAMES[:6], "hx04", what))
    assert not verdict.is_healthy
    assert len(verdict.unread) == 5
    assert all("hx04" in each.path and problem in each.problem for each in verdict.unread)
    assert "5 inputs could not be read" in isolation_text(verdict, 6)
    assert "hx04" not in verdict.good


def test_links_in_the_place_of_logs_are_named_and_pictures_beside_them_are_no_doubt(tmp_path: Path) -> None:
    pairs_in(tmp_path, NAMES[:6])
    (tmp_path / "heatmap.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(200)))
    (tmp_path / "latest").symlink_to(tmp_path / "run_hx01_hx02.log")
    assert told(tmp_path).is_healthy
    for name in NAMES[:6]:
        (tmp_path / f"run_{name}_hx07.log").symlink_to("/nowhere")
    assert len(told(tmp_path).unread) == 6


def test_a_node_that_died_in_all_of_its_tests_is_known_by_the_names_of_logs(tmp_path: Path) -> None:
    pairs_in(tmp_path, NAMES[:6], "hx04", b"ssh: timed out\n")
    (tmp_path / "run_notes_all.log").write_text("nothing here\n")
    verdict = told(tmp_path)
    assert [(bad.name, bad.unfinished) for bad in verdict.bad] == [("hx04", 5)]


def test_two_that_died_together_and_a_name_in_another(tmp_path: Path) -> None:
    nodes = ("rack1-n1", "rack1-n2", "rack1-n3", "rack1-n4", "rack1-n10")
    pairs_in(tmp_path, nodes[:4])
    (tmp_path / "run_rack1-n10_rack2-n1.log").write_text("ssh: timed out\n")
    dead = [outcome.group for outcome in measured_pairs([str(tmp_path)]).outcomes if outcome.gbs is None]
    assert dead == [("rack1-n10", "rack2-n1")]


def test_a_search_that_was_killed_proves_no_health(tmp_path: Path) -> None:
    """Nodes whose round never came are in none of its tests."""
    place = tmp_path / "bundle"
    with BundleWriter(place) as bundle:
        for one, other in combinations(NAMES[:6], 2):
            with bundle.capture(f"round-1/{one}+{other}", "collective", ("mpirun",)) as capture:
                capture.write_stdout(log(one, other, 100.0))
    assert told(place).unread == ()
    manifest = json.loads((place / "manifest.json").read_text())
    (place / "manifest.json").write_text(json.dumps({**manifest, "finished": None}))
    (place / "SHA256SUMS").unlink()
    verdict = told(place)
    assert [each.problem for each in verdict.unread] == ["the bundle has no end: slowlink was ended before it"]
    assert not verdict.is_healthy


def test_a_sheet_of_which_most_rows_cannot_be_read_proves_no_health(tmp_path: Path) -> None:
    rows = [f"{a},{b},390.{n}" for n, (a, b) in enumerate(combinations(["gpu01", "gpu02", "gpu03", "gpu04"], 2))]
    strange = [f"gpu01,x slots={number},390" for number in range(8)]
    for more, unread in ((["measured in the night by two of us"], 0), (strange, 1)):
        (tmp_path / "sheet.csv").write_text("\n".join(["node_a,node_b,bandwidth_gbs", *rows, *more]) + "\n")
        verdict = told(tmp_path)
        assert verdict.good == ("gpu01", "gpu02", "gpu03", "gpu04")
        assert len(verdict.unread) == unread


FALLEN = "[Tue Mar  4 10:11:12 2025] NVRM: Xid (PCI:0000:0c:00): 79, GPU has fallen off the bus.\n"
UNREACHED = "{0}:40:41 [0] misc/socket.cc:484 NCCL WARN socketStartConnect: Connect to 10.1.2.3<40123> failed : Connection timed out\n"


def test_a_whole_table_of_a_test_that_failed_is_no_measurement(tmp_path: Path) -> None:
    """Wrong results by row and by sum, and failures that stand behind the table."""
    whole = log("hx01", "hx02", 100.0)
    last = next(line for line in reversed(whole.splitlines()) if line.strip().startswith("8589934592"))
    wrong = last.rstrip()[:-1] + "17"
    sick = {
        "wrong": whole.replace(last, wrong),
        "checks": whole.replace("# Out of bounds values : 0 OK", "# Out of bounds values : 5 FAILED"),
        "gpu": whole + FALLEN,
        "tcp": whole + UNREACHED.format("hx02"),
    }
    for name, text in sick.items():
        (tmp_path / name).mkdir()
        pairs_in(tmp_path / name, NAMES[:6])
        assert told(tmp_path / name).is_healthy
        assert text != whole
        (tmp_path / name / "run_hx01_hx02.log").write_text(text)
        verdict = told(tmp_path / name)
        assert [each.nodes for each in verdict.open] == [("hx01", "hx02")], name
        assert [each.path.rpartition("/")[2] for each in verdict.failures] == ["run_hx01_hx02.log"], name
        assert "1 log tells of a failure" in isolation_text(verdict, 6)


def test_of_several_tables_in_a_file_the_one_above_the_failure_failed(tmp_path: Path) -> None:
    pairs = tuple(combinations(NAMES[:6], 2))
    texts = [log(*pair, 100.0) + (FALLEN if pair == pairs[4] else "") for pair in pairs]
    (tmp_path / "all.log").write_text("".join(texts))
    found = measured_pairs([str(tmp_path)])
    assert [outcome.pair for outcome in found.outcomes if outcome.gbs is None] == [pairs[4]]
    assert len(found.failures) == 1


def test_a_failure_that_stands_beside_the_logs_of_pairs_is_named(tmp_path: Path) -> None:
    pairs_in(tmp_path, NAMES[:6])
    (tmp_path / "kern.log").write_text(FALLEN)
    verdict = told(tmp_path)
    assert (verdict.open, verdict.bad, verdict.is_healthy) == ((), (), False)
    assert [each.path.rpartition("/")[2] for each in verdict.failures] == ["kern.log"]


@pytest.mark.parametrize("where", ["behind", "before", "beside"])
def test_a_second_slow_table_of_a_pair_is_open(tmp_path: Path, where: str) -> None:
    pairs_in(tmp_path, NAMES[:6])
    slow, fast = log("hx01", "hx02", 33.0), log("hx01", "hx02", 100.0)
    if where == "beside":
        (tmp_path / "again.log").write_text(slow)
    else:
        (tmp_path / "run_hx01_hx02.log").write_text(fast + slow if where == "behind" else slow + fast)
    verdict = told(tmp_path)
    assert [each.nodes for each in verdict.open] == [("hx01", "hx02")]
    (tmp_path / "twice.log").write_text(fast + fast)
    assert [each.nodes for each in told(tmp_path).open] == [("hx01", "hx02")]


def test_a_log_that_was_cut_before_its_hosts_did_not_finish(tmp_path: Path) -> None:
    pairs_in(tmp_path, NAMES[:6])
    (tmp_path / "run_hx01_hx02.log").write_text(log("hx01", "hx02", 100.0)[:200])
    assert [each.nodes for each in told(tmp_path).open] == [("hx01", "hx02")]
    (tmp_path / "run_hx01_hx02.log").write_text(log("hx01", "hx02", 100.0))
    (tmp_path / "night.log").write_text(log("hx01", "hx02", 100.0)[:200])
    assert [each.path.rpartition("/")[2] for each in told(tmp_path).unread] == ["night.log"]


def test_what_ended_with_another_status_in_a_bundle_is_no_measurement(tmp_path: Path) -> None:
    """As in the search itself: its table may be whole."""
    place = tmp_path / "bundle"
    with BundleWriter(place) as bundle:
        for one, other in combinations(NAMES[:6], 2):
            with bundle.capture(f"round-1/{one}+{other}", "collective", ("mpirun",)) as capture:
                capture.write_stdout(log(one, other, 100.0))
                status = 3 if (one, other) == ("hx01", "hx02") else 0
                capture.end(Ended(status, None, "exited", 0.0, 1.0, "", ()))
    assert [each.nodes for each in told(place).open] == [("hx01", "hx02")]


def test_what_ended_badly_in_one_bundle_is_a_measurement_in_another(tmp_path: Path) -> None:
    """Their tests have the same names."""
    for night, status, gbs in (("one", 3, 100.0), ("two", 0, 101.0)):
        with BundleWriter(tmp_path / night) as bundle:
            for one, other in combinations(NAMES[:6], 2):
                with bundle.capture(f"round-1/{one}+{other}", "collective", ("mpirun",)) as capture:
                    capture.write_stdout(log(one, other, gbs))
                    failed = status if (one, other) == ("hx01", "hx02") else 0
                    capture.end(Ended(failed, None, "exited", 0.0, 1.0, "", ()))
    measured = measured_pairs([str(tmp_path)])
    assert [each.gbs is None for each in measured.outcomes if each.pair == ("hx01", "hx02")] == [True, False]
    assert sum(each.gbs is None for each in measured.outcomes) == 1


def test_tests_that_somebody_interrupted_accuse_nobody_and_prove_no_health(tmp_path: Path) -> None:
    """Before their table, and in it. The same pairs of another bundle count."""
    place = tmp_path / "bundle"
    with BundleWriter(place) as bundle:
        for one, other in combinations(NAMES[:6], 2):
            with bundle.capture(f"round-1/{one}+{other}", "collective", ("mpirun",)) as capture:
                cut = "hx01" in (one, other)
                rows = 0 if other == "hx02" else 1
                capture.write_stdout(log(one, other, 100.0, rows=rows if cut else None) if rows else "")
                ended = Ended(None, None, "interrupted", 0.0, 1.0) if cut else Ended(0, None, "exited", 0.0, 1.0)
                capture.end(ended)
    verdict = told(place)
    assert (verdict.bad, verdict.paths, verdict.open, len(verdict.good)) == ((), (), (), 5)
    assert [each.problem for each in verdict.unread] == [
        "somebody interrupted the search: 5 of its tests did not come to their end"
    ]
    assert not verdict.is_healthy
    pairs_in(tmp_path, NAMES[:6])
    assert len(told(tmp_path).good) == 6


def sheet(place: Path, rows: Sequence[str], heading: str = "node1,node2,busbw", name: str = "sheet.csv") -> Verdict:
    (place / name).write_text("\n".join([heading, *rows] if heading else rows) + "\n")
    return told(place)


def rows_of(nodes: Sequence[str], form: str, sick: str) -> list[str]:
    """A row a pair; of those of the third node in the form ``sick``."""
    return [
        (sick if nodes[2] in pair else form).format(*pair, 390 + number % 4)
        for number, pair in enumerate(combinations(nodes, 2))
    ]


@pytest.mark.parametrize(
    "sick",
    ["{0},{1}", "{0},{1},39,1", "{0},{1} r3,10", "{0},{1}/mlx5_0,10", "{0},10.0.0.5:22,10", '{0},"{1},10'],
)
def test_rows_that_cannot_be_read_are_counted_and_shown(tmp_path: Path, sick: str) -> None:
    """Without them nobody would miss the node."""
    rows = rows_of(NAMES[:8], "{},{},{}.5", sick)
    verdict = sheet(tmp_path, rows)
    assert not verdict.is_healthy
    problems = [each.problem for each in verdict.unread]
    assert problems == [f"7 rows are no tests that can be read, such as line 3: {rows[1]}"]


@pytest.mark.parametrize(
    ("heading", "form", "sick"),
    [
        ("node1,node2,busbw", "{},{},{}.5", "{},{},10GB/s"),
        ("node1,node2,busbw GB/s", "{},{},{}.5", "{},{},10.0 GB/s"),
        ("node1;node2;busbw", "{};{};{},5", "{};{};10,1"),
        ("node1,node2,busbw", '{},{},"{},25"', '{},{},"10,1"'),
        ("node1,node2,busbw", "{},{},{}.5", "{},{} (rack 3),10"),
    ],
)
def test_units_decimal_commas_and_remarks_are_read(tmp_path: Path, heading: str, form: str, sick: str) -> None:
    verdict = sheet(tmp_path, rows_of(NAMES[:8], form, sick), heading)
    assert [(bad.name, bad.unfinished) for bad in verdict.bad] == [("hx03", 0)]
    assert verdict.bad[0].share < 0.1
    assert verdict.unread == ()


@pytest.mark.parametrize("thousands", ["1,234", "390,125"])
def test_a_comma_that_may_part_thousands_is_no_amount(tmp_path: Path, thousands: str) -> None:
    verdict = sheet(tmp_path, rows_of(NAMES[:8], "{};{};{}", "{};{};" + thousands), "node1;node2;busbw")
    assert [(bad.name, bad.unfinished) for bad in verdict.bad] == [("hx03", 7)]


@pytest.mark.parametrize(
    ("column", "well", "badly"),
    [
        ("exit_code", "0", "1"),
        ("rc", "0", "-9"),
        ("error", "", "Connection timed out"),
        ("errors", "0", "3"),
        ("#wrong", "0", "17"),
        ("out_of_bounds", "0", "2"),
        ("success", "true", "false"),
        ("status", "no errors", "NODE_FAIL"),
    ],
)
def test_columns_that_say_failure_are_heard(tmp_path: Path, column: str, well: str, badly: str) -> None:
    rows = rows_of(NAMES[:8], f"{{}},{{}},{{}},{well}", f"{{}},{{}},{{}},{badly}")
    verdict = sheet(tmp_path, rows, f"node1,node2,busbw,{column}")
    assert [(bad.name, bad.unfinished) for bad in verdict.bad] == [("hx03", 7)]
    assert sheet(tmp_path, rows_of(NAMES[:8], rows[0].replace("hx01,hx02,390", "{},{},{}"), "{},{},{},"), "").bad == ()


def test_records_that_say_failure_or_were_cut(tmp_path: Path) -> None:
    pairs = tuple(combinations(NAMES[:8], 2))
    records = [
        {"node1": a, "node2": b, "busbw": 390.5, "error": {"code": 3} if "hx03" in (a, b) else None} for a, b in pairs
    ]
    verdict = sheet(tmp_path, [json.dumps(records)], "", "sheet.json")
    assert [(bad.name, bad.unfinished) for bad in verdict.bad] == [("hx03", 7)]
    (tmp_path / "sheet.json").unlink()
    lines = [json.dumps({"node1": a, "node2": b, "busbw": 390.5})[: 30 if "hx03" in (a, b) else None] for a, b in pairs]
    verdict = sheet(tmp_path, lines, "", "sheet.jsonl")
    assert (verdict.bad, verdict.is_healthy) == ((), False)
    assert 'such as line 2: {"node1": "hx01", "node2": "hx' in verdict.unread[0].problem


def test_a_sheet_without_a_row_that_can_be_read_is_named_beside_others(tmp_path: Path) -> None:
    pairs_in(tmp_path, NAMES[:6])
    assert sheet(tmp_path, ["average,,380", "hx01,hx01,700"]).is_healthy
    verdict = sheet(tmp_path, ["hx01,hx02 r1,380", "hx01,hx03 r1,38"])
    assert "2 rows are no tests" in verdict.unread[0].problem
    assert "no test that can" in sheet(tmp_path, ["hx01 beside hx02 gave 38"], "in the night").unread[0].problem


def test_files_with_the_name_of_a_pair_that_has_no_test(tmp_path: Path) -> None:
    pairs_in(tmp_path, NAMES[:6])
    (tmp_path / "run_hx01_hx02.log").rename(tmp_path / "run_hx01_hx02.log.failed")
    assert told(tmp_path).is_healthy
    (tmp_path / "run_hx01_hx02.log.failed").write_text("nothing here\n")
    assert [each.path.rpartition("/")[2] for each in told(tmp_path).unread] == ["run_hx01_hx02.log.failed"]


def test_a_heading_that_is_printed_again_and_a_test_of_more_nodes(tmp_path: Path) -> None:
    rows = rows_of(NAMES[:4], "{},{},{}.5", "{},{},{}.5")
    verdict = sheet(tmp_path, [*rows[:3], "node1,node2,busbw", *rows[3:], "hx[01-04],all of them,390"])
    assert (verdict.tests, verdict.unread) == (6, ())


@pytest.mark.parametrize("sick", ["{0} - {1}: 39,1 GB/s", "{0} - {1}: 390.5 MB/s", "{0} - {1}: 39.1 GB/s 12"])
def test_rows_of_a_list_that_are_unlike_the_others_are_named(tmp_path: Path, sick: str) -> None:
    """Another number of numbers, or another unit: nobody knows what was measured."""
    rows = rows_of(NAMES[:8], "{} - {}: {}.5 GB/s", sick)
    verdict = sheet(tmp_path, rows, "", "list.txt")
    assert (verdict.bad, verdict.is_healthy) == ((), False)
    assert verdict.unread[0].problem.startswith("7 rows are no tests that can be read, such as line 2: hx01 - hx03")


def test_a_few_rows_beside_other_tests_do_not_vanish(tmp_path: Path) -> None:
    pairs_in(tmp_path, NAMES[:6])
    verdict = sheet(tmp_path, ["hx01 - hx02: 39.1 GB/s"], "", "again.txt")
    assert verdict.unread[0].problem == "1 row is no test that can be read, such as line 1: hx01 - hx02: 39.1 GB/s"
    assert sheet(tmp_path, ["hx01 - hx02: 0.4 ms", "hx01 rank 3 GB/s"], "", "again.txt").is_healthy


@pytest.mark.parametrize(
    ("sick", "problem"), [("n/a", "line 4: hx03"), ("390MB/s", "line 2: hx01"), ("39~", "line 2: hx01")]
)
def test_cells_of_a_matrix_that_say_nothing_or_another_unit(tmp_path: Path, sick: str, problem: str) -> None:
    names = NAMES[:5]
    pairs_in(tmp_path, [name for name in names if name != "hx03"])
    cells = {(a, b): sick if "hx03" in (a, b) else "390.5" for a in names for b in names}
    rows = [",".join([a, *("-" if a == b else cells[a, b] for b in names)]) for a in names]
    verdict = sheet(tmp_path, rows, "busbw GB/s," + ",".join(names), "matrix.csv")
    assert not verdict.is_healthy
    assert problem in verdict.unread[0].problem


def test_a_node_without_any_cell_in_a_matrix_of_records(tmp_path: Path) -> None:
    rows = {a: {b: 390.5 for b in NAMES[:5] if a != b and "hx03" not in (a, b)} for a in NAMES[:5]}
    verdict = sheet(tmp_path, [json.dumps({"bandwidth": rows})], "", "matrix.json")
    assert "1 row is no test that can be read, such as line 1: hx03" in verdict.unread[0].problem
