"""What ``slowlink check`` leaves is evidence: a test of a pair speaks for the HCAs at both of its ends."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from handed_over import INSIDE_GBS, nccl_tests, perftest
from slowlink.bundle import BundleWriter
from slowlink.catalog.given import given_hardware
from slowlink.inputs import open_given
from slowlink.ladder.plan import WRITE, Hca, Machine, NodeParts, Wanted, plan_ladder
from slowlink.model.acceptance import Acceptance, Cell
from slowlink.model.ladder import LadderTest
from slowlink.model.plan import Ended
from slowlink.parsers.reading.read import read
from slowlink.workflows.accepting.accept import accepted
from slowlink.workflows.accepting.evidence_files import evidence_files
from slowlink.workflows.accepting.names import FileNames
from slowlink.workflows.accepting.terms import terms_of
from slowlink.workflows.climb.record import store_plan

NODES = ("gpu01", "gpu02", "gpu03", "gpu04")
HCAS = ("mlx5_0", "mlx5_1")


def checked(place: Path, gbit: Callable[[LadderTest], float]) -> Path:
    """The bundle of a ladder over these nodes, of which each pair gives what ``gbit`` says."""
    parts = tuple(NodeParts(node, 8, tuple(Hca(name) for name in HCAS)) for node in NODES)
    plan = plan_ladder(Machine(parts, on_gpu=True, ranks_per_node=8), Wanted(snapshot=False))
    bundle = BundleWriter(place, command=["slowlink", "check"], clock=lambda: 1795000000.0)
    bundle.set_nodes(list(NODES))
    store_plan(plan, bundle)
    for test in plan.tests:
        gpus = test.ranks_per_node or 8
        gbs = INSIDE_GBS if len(test.nodes) == 1 else 385.0
        _, _, printed = perftest("", test.hca, gbit(test)).partition("\n")  # a launcher shows no prompt
        text = printed if test.collective == WRITE else nccl_tests(test.nodes, gbs, gpus)
        with bundle.capture(test.name, "collective", ("x",)) as capture:
            capture.write_stdout(text)
            capture.end(Ended(0, None, "exited", 1795000000.0, 2.0))
    bundle.finish()
    return place


def record_of(bundle: Path) -> Acceptance:
    files = FileNames([str(bundle)])
    evidence = evidence_files([str(bundle)], files)
    files.know(each.path for each in evidence)
    terms = terms_of(
        nodes="gpu[01-04]",
        hardware=given_hardware(system="hgx_h100", nics="2x400"),
        hcas="mlx5_[0-1]",
        policy=None,
        tolerances={},
        fail_on="error",
    )
    return accepted(read(open_given([str(bundle)]), 1), evidence, terms, files)


def bandwidths(record: Acceptance) -> dict[tuple[str, str], Cell]:
    return {(node, hca): cell for node, hca, cell in record.rows() if cell.check == "bandwidth"}


def test_both_ends_of_a_sound_pair_pass(tmp_path: Path) -> None:
    cells = bandwidths(record_of(checked(tmp_path / "check", lambda _: 392.4)))
    assert {key: (cell.state, cell.measured) for key, cell in cells.items()} == {
        (node, hca): ("pass", "392.4") for node in NODES for hca in HCAS
    }


def test_of_two_ends_the_one_that_is_slow_with_both_of_its_partners_fails(tmp_path: Path) -> None:
    def gbit(test: LadderTest) -> float:
        return 200.0 if "gpu03" in test.nodes and test.hca == "mlx5_1" else 392.4

    record = record_of(checked(tmp_path / "check", gbit))
    assert record.result == "refused"
    states = {key: cell.state for key, cell in bandwidths(record).items()}
    assert {key for key, state in states.items() if state == "fail"} == {("gpu03", "mlx5_1")}
    assert {state for key, state in states.items() if key != ("gpu03", "mlx5_1")} == {"pass"}
    assert {node.name for node in record.nodes if node.state == "fail"} == {"gpu03"}


def test_a_table_over_some_of_the_gpus_leaves_a_node_open(tmp_path: Path) -> None:
    """One rank on every node is a layer of the ladder; it does not show that the others work."""
    place = tmp_path / "tables"
    place.mkdir()
    for node in NODES:
        (place / f"{node}.log").write_text(
            nccl_tests([node], 370.0, 4) if node == "gpu02" else nccl_tests([node], INSIDE_GBS)
        )
    inside = {node: cell for node, _, cell in record_of(place).rows() if cell.check == "inside"}
    assert {node: cell.state for node, cell in inside.items()} == {
        node: "open" if node == "gpu02" else "pass" for node in NODES
    }
    assert inside["gpu02"].why == "4 of 8 GPUs took part"
