"""A hand-over with planted faults: whoever is sick fails, the sound pass, and of whom nothing is known nothing is said."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner
from inline_snapshot import snapshot

from handed_over import handed_over
from slowlink.cli.main import cli
from slowlink.model.acceptance import Acceptance, Cell
from slowlink.report.acceptance.record import record_from
from slowlink.simulate.node_state.description import SimulatedNode
from slowlink.workflows.acting.nodes_apart import nodes_apart
from slowlink.workflows.analyze import analyze

SLOW_PORT = SimulatedNode("", gpus=8, cpus=16, slow_port=3)
OPTIONS = ("--system", "hgx_h100")


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return handed_over(tmp_path_factory.mktemp("good") / "handover")


@pytest.fixture(scope="module")
def bad(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return handed_over(
        tmp_path_factory.mktemp("bad") / "handover",
        nodes=("gpu01", "gpu02", "gpu03", "gpu04"),
        sick={"gpu02": SLOW_PORT},
        silent=("gpu04",),
        links={("gpu02", "mlx5_3"): 197.0, ("gpu03", "mlx5_1"): None},
        inside={"gpu03": 300.0},
    )


def accept(evidence: Path, nodes: str, place: Path, *more: str) -> tuple[int, str, Acceptance]:
    written = place / "acceptance.json"
    arguments = ["accept", str(evidence), "--nodes", nodes, *OPTIONS, "-o", str(written), *more]
    done = CliRunner().invoke(cli, arguments, standalone_mode=False, catch_exceptions=False)
    return done.return_value, done.stdout.replace(f"{place}/", ""), record_from(written.read_bytes())


def cells(record: Acceptance) -> dict[tuple[str, str, str], Cell]:
    return {(node, hca, cell.check): cell for node, hca, cell in record.rows() if not cell.subject or node}


def test_a_sound_cluster_is_accepted(good: Path, tmp_path: Path) -> None:
    status, screen, record = accept(good, "gpu[01-03]", tmp_path)
    assert status == 0
    assert screen.replace(record.seal, "SEAL") == snapshot("""\
ACCEPTED  3 nodes and 24 HCAs passed all 13 required checks
  contract   gpu[01-03]: 3 nodes, each with 8 x h100-sxm and 8 x 400 Gb/s
  whole      1 required check: 1 PASS
  nodes      8 required checks: 24 PASS
  HCAs       4 required checks: 96 PASS
evidence   33 files, each with its SHA-256 in the record
seal       SEAL
written    acceptance.json
""")
    bandwidth = cells(record)["gpu02", "mlx5_5", "bandwidth"]
    assert (bandwidth.measured, bandwidth.unit, bandwidth.evidence) == (
        "392.4",
        "Gb/s",
        ("handover/ib_write_bw-gpu02-mlx5_5.log:13",),
    )
    assert bandwidth.limit is not None
    assert record.limits[bandwidth.limit].expected == "at least 360.0 Gb/s"
    lines = (good.parent / bandwidth.evidence[0].rpartition(":")[0]).read_text().splitlines()
    assert "392.40" in lines[int(bandwidth.evidence[0].rpartition(":")[2]) - 1]


def test_who_is_sick_fails_and_who_did_not_answer_is_not_measured(bad: Path, tmp_path: Path) -> None:
    status, screen, record = accept(bad, "gpu[01-05]", tmp_path)
    assert status == 1
    assert screen.replace(record.seal, "SEAL") == snapshot("""\
REFUSED  2 of 5 nodes failed: gpu[02-03]; 2 more are not wholly measured
  contract   gpu[01-05]: 5 nodes, each with 8 x h100-sxm and 8 x 400 Gb/s
  whole      1 required check: 1 FAIL
  nodes      8 required checks: 23 PASS, 1 FAIL, 16 NOT MEASURED
  HCAs       4 required checks: 93 PASS, 2 FAIL, 65 NOT MEASURED
failed
  the whole: verdict of slowlink analyze
    degraded, expected healthy, or nothing of error and above
    [port-rate-low, straggler-node] gpu02: mlx5_3 runs at 200 of 400 Gb/s, the rate of this port on other nodes; also straggler-node; 1 of 4 nodes did not answer (gpu04)
  gpu02 mlx5_3: port: Active, at its rate
    200 Gb/s, expected Active, at least 400 Gb/s
    [port-rate-low] gpu02: mlx5_3 runs at 200 of 400 Gb/s, the rate of this port on other nodes
    handover/snapshot/captures/state/gpu02/stdout:2685
  gpu02 mlx5_3: bandwidth, host memory
    197.0 Gb/s, expected at least 360.0 Gb/s
    [link-bandwidth-low, straggler-nic, port-rate-low] gpu02 mlx5_3 gives 197.0 Gb/s in RDMA_Write BW, 22 other HCAs give 392.4
    handover/ib_write_bw-gpu02-mlx5_3.log:13
  gpu03: collective inside the node
    299.71 GB/s busbw, expected at least 466 GB/s at 8 GiB
    [busbw-below-expected, straggler-node] all_reduce with 8 ranks on 1 node reaches 299.7 GB/s of an expected 480, 62% of what healthy systems show (and 1 more)
    handover/all_reduce-gpu03.log:23
open, or not measured
  gpu[04-05]: nothing of them was measured: it did not answer: no route to it; nothing tells its state
  gpu03 mlx5_1: bandwidth, host memory: no evidence has such a test of it (slowlink check, ib_write_bw on each HCA)
evidence   33 files, each with its SHA-256 in the record
seal       SEAL
written    acceptance.json
""")
    assert {(node, hca, check) for (node, hca, check), cell in cells(record).items() if cell.state == "fail"} == {
        ("", "", "analysis"),
        ("gpu02", "mlx5_3", "port"),
        ("gpu02", "mlx5_3", "bandwidth"),
        ("gpu03", "", "inside"),
    }
    assert {node.name: node.state for node in record.nodes} == {
        "gpu01": "pass",
        "gpu02": "fail",
        "gpu03": "fail",
        "gpu04": "not-measured",
        "gpu05": "not-measured",
    }
    assert cells(record)["gpu02", "mlx5_3", "port"].causes[0] == "port-rate-low"
    assert cells(record)["gpu03", "mlx5_1", "bandwidth"].state == "not-measured"
    assert cells(record)["gpu04", "", "state"].why == "it did not answer: no route to it"
    assert {len(node.hcas) for node in record.nodes} == {8}


def test_no_node_passes_that_analyze_accuses_and_nothing_is_accepted_that_it_does_not_call_sound(
    bad: Path, tmp_path: Path
) -> None:
    _, _, record = accept(bad, "gpu[01-05]", tmp_path)
    report = analyze([str(bad)], hardware="hgx_h100")
    accused = {each.node for each in nodes_apart(report, "error").accused}
    assert accused == {"gpu02", "gpu03"}
    assert accused <= {node.name for node in record.nodes if node.state == "fail"}
    assert [fault.cause for fault in record.faults] == [each.cause for each in report.diagnoses]


def test_a_node_of_the_contract_that_nothing_names_is_missing_and_one_beside_it_is_told(
    good: Path, tmp_path: Path
) -> None:
    status, _, record = accept(good, "gpu[01-02],gpu09", tmp_path)
    assert (status, record.result) == (3, "incomplete")
    assert record.beside == "gpu03"
    last = record.nodes[-1]
    assert (last.name, last.state, len(last.hcas)) == ("gpu09", "not-measured", 8)
    assert {cell.state for hca in last.hcas for cell in hca.cells} == {"not-measured"}


@pytest.mark.parametrize(
    ("without", "unmeasured"),
    [
        ("all_reduce-gpu01.log", {("gpu01", "", "inside")}),
        ("all_reduce-all.log", {(f"gpu0{number}", "", "between") for number in (1, 2, 3)}),
        ("ib_write_bw-gpu02-mlx5_0.log", {("gpu02", "mlx5_0", "bandwidth")}),
    ],
)
def test_what_was_not_measured_is_not_accepted(
    good: Path, tmp_path: Path, without: str, unmeasured: set[tuple[str, str, str]]
) -> None:
    less = shutil.copytree(good, tmp_path / "less")
    (less / without).unlink()
    status, _, record = accept(less, "gpu[01-03]", tmp_path)
    required = {check.id for check in record.checks if check.required}
    states = Counter(cell.state for cell in cells(record).values() if cell.check in required)
    assert status == 3
    assert {key for key, cell in cells(record).items() if cell.check in required and cell.state != "pass"} == unmeasured
    assert states["not-measured"] == len(unmeasured)


def test_the_contract_is_held_against_what_is_there(good: Path, tmp_path: Path) -> None:
    """All nodes are alike, and none is what was ordered."""
    _, _, record = accept(good, "gpu[01-03]", tmp_path, "--nics", "8x800", "--gpu", "h200-sxm")
    assert record.result == "refused"
    found = cells(record)
    port, gpus = found["gpu01", "mlx5_0", "port"], found["gpu03", "", "gpus"]
    assert (port.state, port.measured, port.causes) == ("fail", "400", ("port-rate-low",))
    assert (gpus.state, gpus.why) == ("fail", "the contract has h200-sxm, not NVIDIA H100 80GB HBM3")
    _, _, record = accept(good, "gpu[01-03]", tmp_path, "--nics", "9x400")
    assert record.result == "incomplete"
    assert [hca.name for hca in record.nodes[0].hcas][-1] == "(HCA 9 of 9)"


def test_the_same_evidence_gives_the_same_seal_wherever_it_lies(good: Path, tmp_path: Path) -> None:
    first = accept(good, "gpu[01-03]", tmp_path)[2]
    moved = shutil.copytree(good, tmp_path / "elsewhere" / "handover")
    assert accept(moved, "gpu[01-03]", tmp_path)[2] == first
    assert accept(moved, "gpu[01-03]", tmp_path, "--workers", "2")[2].seal == first.seal
    (moved / "ib_write_bw-gpu01-mlx5_0.log").open("a").write("\n")
    assert accept(moved, "gpu[01-03]", tmp_path)[2].seal != first.seal


def test_a_check_that_is_left_out_is_told_and_one_that_is_added_is_asked(good: Path, tmp_path: Path) -> None:
    less = shutil.copytree(good, tmp_path / "less")
    (less / "all_reduce-all.log").unlink()
    _, _, record = accept(less, "gpu[01-03]", tmp_path, "--skip", "between")
    assert record.result == "accepted"
    assert [check.id for check in record.checks if not check.required] == [
        "collective",
        "copies",
        "between",
        "gpu-bandwidth",
    ]
    assert accept(good, "gpu[01-03]", tmp_path, "--require", "copies")[2].result == "incomplete"


def test_a_site_policy_is_a_check_of_every_node(good: Path, tmp_path: Path) -> None:
    policy = tmp_path / "policy.toml"
    head = 'schema = "slowlink.policy/1"\n\n'
    policy.write_text(head + '[cpu]\ncpu-governor = "performance"\n')
    _, _, record = accept(good, "gpu[01-03]", tmp_path, "--policy", str(policy))
    assert {cells(record)[node, "", "policy"].state for node in ("gpu01", "gpu02", "gpu03")} == {"pass"}
    assert record.contract.policy.startswith("policy.toml (SHA-256 ")
    policy.write_text(policy.read_text().replace('"performance"', '"powersave"'))
    _, _, refused = accept(good, "gpu[01-03]", tmp_path, "--policy", str(policy), "--fail-on", "warning")
    told = cells(refused)["gpu02", "", "policy"]
    assert (told.state, told.causes) == ("fail", ("policy-not-met",))
    assert refused.seal != record.seal


def test_a_node_whose_answer_broke_off_is_open(good: Path, tmp_path: Path) -> None:
    less = shutil.copytree(good, tmp_path / "less")
    told = less / "snapshot" / "captures" / "state" / "gpu02" / "stdout"
    lines = told.read_text().splitlines(keepends=True)
    told.write_text("".join(lines[: len(lines) * 9 // 10]))
    (less / "snapshot" / "SHA256SUMS").unlink()
    status, _, record = accept(less, "gpu[01-03]", tmp_path)
    assert status == 3
    assert cells(record)["gpu02", "", "state"].state == "open"
    assert "nodes-unanswered" in cells(record)["gpu02", "", "state"].causes


def test_a_bundle_that_was_changed_is_not_accepted(good: Path, tmp_path: Path) -> None:
    forged = shutil.copytree(good, tmp_path / "forged")
    told = forged / "snapshot" / "captures" / "state" / "gpu01" / "stdout"
    told.write_text(told.read_text().replace("NVIDIA H100", "NVIDIA H100 ", 1))
    status, _, record = accept(forged, "gpu[01-03]", tmp_path)
    assert (status, record.result) == (3, "incomplete")
    assert "differs from its sum" in cells(record)["", "", "analysis"].why
