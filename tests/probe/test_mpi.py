"""Real ranks: results are right, wrong ones are seen, late ranks are found, and no rank is left to wait."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from mpi_ranks import needs_mpi, probe
from slowlink.benchmarks.interface import COLLECTIVES
from slowlink.facts.assemble import assemble
from slowlink.inputs import Input
from slowlink.parsers.reading.read import read
from slowlink.rules.engine import discover, run

pytestmark = needs_mpi

SMALL = ("-b", "64", "-e", "8K", "-f", "8", "-n", "4", "-w", "1")


@pytest.mark.parametrize("collective", COLLECTIVES)
def test_every_collective_gives_right_results_on_three_ranks(collective: str) -> None:
    status, out, err = probe(3, collective, *SMALL, "-c", "2")
    assert (status, err) == (0, "")
    (found,) = read([Input("out", None, [out.encode()])], workers=1).runs
    assert found.tool == "slowlink-probe"
    assert found.collective == collective
    assert [point.wrong for point in found.points] == [0.0] * 6
    assert [device.rank for device in found.devices] == [0, 1, 2]
    assert found.concluded
    assert [point.doubt for point in found.points] == [None] * 6


@pytest.mark.parametrize(
    ("datatype", "redop"), [("int8", "sum"), ("double", "prod"), ("uint64", "min"), ("int32", "max")]
)
def test_types_and_reductions(datatype: str, redop: str) -> None:
    status, out, err = probe(2, "all_reduce", "-b", "1K", "-e", "1K", "-n", "2", "-d", datatype, "-o", redop)
    assert (status, err) == (0, "")
    assert re.search(rf"1024 +\d+ +{datatype} +{redop} +-1 ", out)


def test_changed_results_are_counted_and_fail() -> None:
    status, out, _ = probe(2, "all_gather", *SMALL, "--inject-wrong", "1:3")
    assert status == 1
    assert "# Out of bounds values : 6 FAILED" in out
    (found,) = read([Input("out", None, [out.encode()])], workers=1).runs
    assert [point.wrong for point in found.points] == [3.0] * 6


def test_a_late_rank_is_named(tmp_path: Path) -> None:
    path = tmp_path / "iterations.jsonl"
    arguments = ("-b", "64", "-e", "512", "-f", "8", "-n", "12", "--inject-delay", "2:20000", "--output", str(path))
    status, out, _ = probe(4, "all_reduce", *arguments)
    assert status == 0
    inputs = [Input("out", None, [out.encode()]), Input("iterations", None, [path.read_bytes()])]
    facts = assemble(read(inputs, workers=1))
    found = run(facts, None, rules=[rule for rule in discover() if rule.id == "straggler-rank"]).findings
    assert [(f.cause, [s.name for s in f.suspects if s.kind == "rank"]) for f in found] == [("straggler-gpu", ["2"])]


def test_one_clear_line_when_options_cannot_be() -> None:
    status, out, err = probe(2, "all_reduce", "-b", "4K", "-e", "1K")
    assert status == 2
    assert out == ""
    assert [line for line in err.splitlines() if line.startswith("slowlink probe:")] == [
        line for line in err.splitlines() if "-b 4096 is above -e 1024" in line
    ]
    assert err.count("-b 4096 is above -e 1024") == 1


def test_ranks_with_other_options_are_refused(tmp_path: Path) -> None:
    script = tmp_path / "rank.py"
    script.write_text(
        "import os, sys\n"
        "from slowlink.probe.__main__ import main\n"
        "extra = ['-n', '3'] if os.environ['OMPI_COMM_WORLD_RANK'] == '1' else ['-n', '2']\n"
        "sys.exit(main(['all_reduce', '-e', '64', *extra]))\n"
    )
    status, out, err = probe(3, program=(str(script),))
    assert (status, out) == (2, "")
    assert err.count("the ranks disagree about the options: rank 1 on ") == 1


def test_a_rank_that_fails_ends_all(tmp_path: Path) -> None:
    script = tmp_path / "rank.py"
    script.write_text(
        "import os, sys\n"
        "import slowlink.probe.sweep as sweep\n"
        "from slowlink.probe.__main__ import main\n"
        "measure = sweep.measure\n"
        "def failing(*arguments):\n"
        "    if os.environ['OMPI_COMM_WORLD_RANK'] == '1':\n"
        "        raise RuntimeError('no more\\nsecond line')\n"
        "    return measure(*arguments)\n"
        "sweep.measure = failing\n"
        "sys.exit(main(['all_reduce', '-e', '64']))\n"
    )
    status, _, err = probe(3, program=(str(script),))
    assert status == 3
    assert re.search(r"^slowlink probe: rank 1 on \S+: RuntimeError: no more$", err, re.MULTILINE)


def test_a_file_that_cannot_be_written_is_said_before_anything_is_measured(tmp_path: Path) -> None:
    status, out, err = probe(2, "all_reduce", "-e", "64", "--output", str(tmp_path / "none" / "x.jsonl"))
    assert (status, out) == (2, "")
    assert "No such file or directory" in err


def test_iterations_file_has_every_iteration_of_every_rank(tmp_path: Path) -> None:
    path = tmp_path / "iterations.jsonl"
    status, _, _ = probe(3, "alltoall", *SMALL, "--output", str(path))
    assert status == 0
    head, *points, end = map(json.loads, path.read_text().splitlines())
    assert (head["kind"], head["nranks"], end["kind"]) == ("run", 3, "end")
    assert [(len(p["start_us"]), {len(row) for row in p["start_us"] + p["duration_us"]}) for p in points] == [
        (3, {4})
    ] * 6
    assert all(p["clock_error_us"] == [0.0, 0.0, 0.0] for p in points), "ranks of one host read one clock"
    assert all(len(p["waited_us"]) == 3 and min(p["waited_us"]) >= 0 for p in points), "Linux tells"
    for point in points:
        slowest = max(sum(row) / len(row) for row in point["duration_us"])
        assert point["timed_apart"] or point["time_us"] == pytest.approx(slowest, abs=0.02)
