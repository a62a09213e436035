"""Which nodes are taken out of use, and that the record says what became of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from slowlink.bundle.begun import mark_begun
from slowlink.errors import SlowlinkError
from slowlink.launch.in_use.interface import CHANGED, NO_ANSWER, REFUSED
from slowlink.model.acting import AccusedNode, DrainPlan, SchedulerNode
from slowlink.model.report import Diagnosis
from slowlink.workflows.draining import session
from slowlink.workflows.draining.choice import drain_plan, is_name, most_out
from slowlink.workflows.draining.record import RECORDS, read

NAMES = [f"gpu{number:02}" for number in range(1, 41)]
ID = "0123456789ab"


def accused(node: str, *found: tuple[str, str]) -> AccusedNode:
    diagnoses = [Diagnosis(cause, cause, "so", "node", "error", sure) for cause, sure in found]  # type: ignore[arg-type]
    return AccusedNode(node, tuple(diagnoses))


def free(*names: str) -> dict[str, SchedulerNode]:
    return {name: SchedulerNode(name, name) for name in names}


def plan(*nodes: AccusedNode, known: Mapping[str, SchedulerNode] | None = None, **more: Any) -> DrainPlan:
    return drain_plan(nodes, free(*NAMES) if known is None else known, ID, title="Slurm", **more)


def missing(*nodes: str) -> list[AccusedNode]:
    return [accused(node, ("gpu-missing", "certain")) for node in nodes]


def left(found: DrainPlan) -> dict[str, tuple[str, bool]]:
    return {each.node: (each.why, each.amiss) for each in found.left}


def test_what_is_only_possible_takes_no_node_out_unless_told() -> None:
    nodes = [
        accused("gpu01", ("gpu-missing", "possible"), ("port-rate-low", "likely")),
        accused("gpu02", ("gpu-missing", "possible")),
        accused("gpu03", ("gpu-missing", "certain")),
    ]
    found = plan(*nodes)
    assert [(each.node, each.reason) for each in found.drains] == [
        ("gpu01", f"slowlink: port-rate-low {ID}"),
        ("gpu03", f"slowlink: gpu-missing {ID}"),
    ]
    assert left(found) == {"gpu02": ("no more than possible", False)}
    assert [each.node for each in plan(*nodes, sure="certain").drains] == ["gpu03"]
    assert [each.node for each in plan(*nodes, sure="possible").drains] == ["gpu01", "gpu02", "gpu03"]


def test_who_is_out_already_stays_as_he_is() -> None:
    known = free(*NAMES) | {"gpu01": SchedulerNode("gpu01", "gpu01", "drained", "new fan")}
    known["gpu02"] = SchedulerNode("gpu02", "gpu02", "cordoned")
    found = plan(*missing("gpu01", "gpu02"), known=known)
    assert found.drains == ()
    assert left(found) == {"gpu01": ("drained already: new fan", False), "gpu02": ("cordoned already", False)}


@pytest.mark.parametrize(
    "name", ["ALL", "all", "gpu[01-40]", "gpu01,gpu02", "-h", "a b", "", "gpu01\n", "a" * 300, "@x"]
)
def test_a_name_that_means_many_nodes_is_nobodys(name: str) -> None:
    assert not is_name(name)
    found = plan(*missing(name), known=free(*NAMES, name))
    assert found.drains == ()
    assert all(amiss for _, amiss in left(found).values())


def test_a_machine_is_found_by_its_own_name_where_that_tells_one() -> None:
    known = free("10.0.0.1") | {f"n{number}": SchedulerNode(f"n{number}", "both") for number in (1, 2)}
    known["n3"] = SchedulerNode("n3", "gpu03")
    found = plan(*missing("gpu03", "n3", "both", "gpu09"), known=known)
    assert [each.node for each in found.drains] == ["n3"]
    assert left(found) == {
        "both": ("Slurm has 2 nodes that are called so, by name or by host", True),
        "gpu09": ("Slurm knows no node of this name", True),
    }


def test_a_name_that_is_another_machines_takes_no_node_out() -> None:
    """n2 may be the node of that name, or the machine that calls itself so, which is n1."""
    known = {"n1": SchedulerNode("n1", "n2"), "n2": SchedulerNode("n2", "n3")}
    found = plan(*missing("n2"), known=known)
    assert found.drains == ()
    assert left(found) == {"n2": ("Slurm has 2 nodes that are called so, by name or by host", True)}
    assert [each.node for each in plan(*missing("n1", "n3"), known=known, most=2).drains] == ["n1", "n2"]


def test_who_was_named_and_is_not_accused_is_told() -> None:
    known = free(*NAMES) | {"gpu05": SchedulerNode("gpu05", "host5")}
    found = plan(*missing("gpu01", "gpu03", "host5"), known=known, only=["gpu01", "gpu5", "gpu02", "gpu05"])
    assert [each.node for each in found.drains] == ["gpu01", "gpu05"]
    assert left(found) == {"gpu5": ("Slurm knows no node of this name", True), "gpu02": ("nothing accuses it", False)}


def test_no_more_than_a_share_of_the_nodes() -> None:
    assert [most_out(total) for total in (0, 1, 9, 40, 159, 160, 10_000)] == [1, 1, 1, 4, 15, 16, 16]
    assert not plan(*missing(*NAMES[:4])).too_many
    assert plan(*missing(*NAMES[:5])).too_many
    assert not plan(*missing(*NAMES[:5]), most=5).too_many
    assert not plan(*missing(*NAMES[:5]), only={"gpu01", "gpu02"}).too_many
    standing = {name: SchedulerNode(name, name, "drained", "slowlink: gpu39 not ok: x") for name in NAMES[-2:]}
    others = {name: SchedulerNode(name, name, "drained", "new fan") for name in NAMES[-9:-2]}
    found = plan(*missing(*NAMES[:3]), known={**free(*NAMES), **standing, **others})
    assert (found.standing, found.too_many) == (2, True)
    assert not plan(*missing(*NAMES[:2]), known={**free(*NAMES), **standing, **others}).too_many
    # Who is out already is none of them, and nothing to do is never too much.
    assert not plan(*missing(*NAMES[-9:]), known={**free(*NAMES), **standing, **others}, most=1).too_many


def test_nothing_of_a_report_gets_into_a_reason_but_ids() -> None:
    many = [(f"cause-{number}", "certain") for number in range(5)]
    found = plan(accused("gpu01", ("x\nState=IDLE", "certain"), *many))
    assert found.drains[0].reason == f"slowlink: unknown-cause, cause-0, cause-1, and 3 more {ID}"


@given(st.lists(st.text(), max_size=8), st.text(max_size=40))
def test_only_names_of_the_scheduler_are_handed_on(names: list[str], cause: str) -> None:
    found = plan(*(accused(name, (cause, "certain")) for name in [*names, "gpu01"]))
    assert {each.node for each in found.drains} <= {*NAMES}
    assert all(each.reason.isascii() and each.reason.isprintable() for each in found.drains)


class Fake:
    """A scheduler in memory. ``trouble``: node -> what asking it to change raises, each once."""

    title, word = "Slurm", "drained"

    def __init__(self, *names: str) -> None:
        self.known = free(*names)
        self.trouble: dict[str, list[BaseException]] = {}
        self.changes: list[str] = []

    def nodes(self) -> dict[str, SchedulerNode]:
        return self.known

    def node(self, name: str) -> SchedulerNode:
        if name not in self.known:
            raise SlowlinkError("Slurm knows no node of this name", slug=REFUSED)
        return self.known[name]

    def take_out(self, node: SchedulerNode, reason: str) -> None:
        self._change(replace(node, out="drained", reason=reason))

    def give_back(self, node: SchedulerNode) -> None:
        self._change(replace(node, out="", reason=""))

    def _change(self, node: SchedulerNode) -> None:
        self.changes.append(node.name)
        if self.trouble.get(node.name):
            raise self.trouble[node.name].pop()
        self.known[node.name] = node


@pytest.fixture
def slurm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Fake:
    fake = Fake(*NAMES)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(session, "scheduler_of", lambda name: fake)
    return fake


def states(path: Path) -> dict[str, str]:
    return {each.node: each.state for each in read(path).nodes}


def taken_out(fake: Fake, directory: Path, *nodes: str) -> session.Finished:
    return session.take_out(plan(*missing(*nodes)), "slurm", fake, directory)


def test_one_that_is_refused_keeps_no_other_from_its_turn(slurm: Fake, tmp_path: Path) -> None:
    slurm.trouble = {
        "gpu01": [SlowlinkError("not allowed", slug=REFUSED)],
        "gpu02": [SlowlinkError("no answer", slug=NO_ANSWER)],
        "gpu03": [SlowlinkError("changed", slug=CHANGED)],
        "gpu04": [SlowlinkError("changed", slug=CHANGED)] * 3,
    }
    found = plan(*missing(*NAMES[:6]))
    slurm.known["gpu06"] = SchedulerNode("gpu06", "gpu06", "drained", "new fan")  # since the plan
    done = session.take_out(found, "slurm", slurm, tmp_path)
    assert states(done.path) == {
        "gpu01": "failed", "gpu02": "unknown", "gpu03": "drained", "gpu04": "failed", "gpu05": "drained", "gpu06": "left-alone",
    }  # fmt: skip
    assert session.status_of(done.touched, "drained") == 3
    assert slurm.known["gpu06"].reason == "new fan"


def test_an_interrupt_between_two_nodes_and_in_one(slurm: Fake, tmp_path: Path) -> None:
    slurm.trouble = {"gpu02": [KeyboardInterrupt()]}
    with pytest.raises(session.Interrupted) as interrupted:
        taken_out(slurm, tmp_path, "gpu01", "gpu02", "gpu03")
    path = interrupted.value.path
    assert states(path) == {"gpu01": "drained", "gpu02": "unknown", "gpu03": "planned"}
    done = session.give_back(None, tmp_path, None)
    assert states(path) == {"gpu01": "given-back", "gpu02": "given-back", "gpu03": "planned"}
    assert [(each.node, each.why) for each in done.touched] == [("gpu01", ""), ("gpu02", "it takes jobs already")]
    assert slurm.changes == ["gpu01", "gpu02", "gpu01"]


def test_exactly_what_was_taken_out_is_given_back(slurm: Fake, tmp_path: Path) -> None:
    done = taken_out(slurm, tmp_path, "gpu01", "gpu02", "gpu03", "gpu04")
    slurm.known["gpu01"] = replace(slurm.known["gpu01"], reason="slowlink: gpu-missing, says Bob")
    slurm.known["gpu02"] = replace(slurm.known["gpu02"], ours=False)
    slurm.known["gpu39"] = SchedulerNode("gpu39", "gpu39", "drained", done.record.nodes[0].reason)  # in no record
    assert session.status_of(session.give_back(None, tmp_path, {"gpu04"}).touched, "given-back") == 0
    assert states(done.path) == {**dict.fromkeys(NAMES[:3], "drained"), "gpu04": "given-back"}
    foreseen = {each.node: each.fate for each in session.foreseen(read(done.path), None)}
    assert foreseen == {"gpu01": "leave", "gpu02": "leave", "gpu03": "give-back"}
    again = session.give_back(str(done.path), tmp_path, None)
    assert states(done.path) == {**dict.fromkeys(NAMES[:2], "left-alone"), "gpu03": "given-back", "gpu04": "given-back"}
    assert session.status_of(again.touched, "given-back") == 1
    assert {name for name, node in slurm.known.items() if node.out} == {"gpu01", "gpu02", "gpu39"}
    assert session.give_back(None, tmp_path, None).touched == ()


def test_a_node_of_that_name_in_another_cluster_settles_nothing(slurm: Fake, tmp_path: Path) -> None:
    slurm.known = {name: replace(node, identity="lab") for name, node in slurm.known.items()}
    path = taken_out(slurm, tmp_path, "gpu01").path
    here, slurm.known = slurm.known, {name: SchedulerNode(name, name, identity="other") for name in NAMES}
    done = session.give_back(None, tmp_path, None)
    assert [(each.state, each.why[:15]) for each in done.touched] == [("drained", "this is not the")]
    assert session.status_of(done.touched, "given-back") == 1
    assert [each.fate for each in session.foreseen(read(path), None)] == ["leave"]
    slurm.known = here
    session.give_back(None, tmp_path, None)
    assert states(path) == {"gpu01": "given-back"}


def test_other_records_that_stand_are_named(slurm: Fake, tmp_path: Path) -> None:
    first, second = taken_out(slurm, tmp_path, "gpu01"), taken_out(slurm, tmp_path, "gpu02")
    assert session.give_back(None, tmp_path, None).path == second.path
    assert session.others_standing(second.path) == [first.path]
    session.give_back(str(first.path), tmp_path, None)
    assert session.others_standing(second.path) == []


def test_a_record_that_cannot_be_kept_ends_it(slurm: Fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is done without a record, and nothing more once it is lost."""
    written: list[int] = []

    def full(path: Path, text: bytes, created: str) -> None:
        written.append(1)
        if len(written) >= 3:
            raise SlowlinkError("cannot write the record", slug="record-unwritable")

    monkeypatch.setattr("slowlink.workflows.draining.record.write_whole", full)
    with pytest.raises(SlowlinkError) as lost:
        taken_out(slurm, tmp_path, "gpu01", "gpu02", "gpu03")
    assert lost.value.slug == session.RECORD_LOST
    assert slurm.changes == ["gpu01"]
    with pytest.raises(SlowlinkError, match="cannot write the record"):
        taken_out(slurm, tmp_path, "gpu02")
    assert slurm.changes == ["gpu01"]


def test_a_record_is_written_once_for_each_node(slurm: Fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before it is touched; and at the beginning and the end."""
    written: list[dict[str, str]] = []

    def noted(path: Path, text: bytes, _created: str) -> None:
        written.append({each["node"]: each["state"] for each in json.loads(text)["nodes"]})
        path.write_bytes(text)

    monkeypatch.setattr("slowlink.workflows.draining.record.write_whole", noted)
    taken_out(slurm, tmp_path, "gpu01", "gpu02")
    assert [[*each.values()] for each in written] == [
        ["planned", "planned"],
        ["unknown", "planned"],
        ["drained", "unknown"],
        ["drained", "drained"],
    ]


def test_a_record_is_marked_as_ours_once(slurm: Fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    marked: list[Path] = []

    def noted(path: Path, created: bytes) -> str:
        marked.append(path)
        return mark_begun(path, created)

    monkeypatch.setattr("slowlink.workflows.kept_records.mark_begun", noted)
    done = taken_out(slurm, tmp_path, "gpu01", "gpu02")
    assert marked == [done.path]


@pytest.mark.parametrize(
    "change",
    [
        {"schema": "slowlink.prepared/1"},
        {"scheduler": "ssh"},
        {"more": 1},
        {"nodes": [{"node": "ALL", "reason": "slowlink: a 1", "state": "drained", "why": ""}]},
        {"nodes": [{"node": "n1,n2", "reason": "slowlink: a 1", "state": "drained", "why": ""}]},
        {"nodes": [{"node": "n1", "reason": "new fan", "state": "drained", "why": ""}]},
        {"nodes": [{"node": "n1", "reason": "slowlink: \u001b[31m", "state": "drained", "why": ""}]},
        {"nodes": [{"node": "n1", "reason": "slowlink: a 1", "state": "odd", "why": ""}]},
        {"nodes": [{"node": "n1", "reason": "slowlink: a 1", "state": "drained", "why": ""}] * 2},
    ],
)
def test_a_record_with_what_cannot_be_in_it_is_refused(slurm: Fake, tmp_path: Path, change: dict[str, Any]) -> None:
    path = taken_out(slurm, tmp_path, "gpu01").path
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(SlowlinkError) as refused:
        session.give_back(None, tmp_path, None)
    assert refused.value.slug == "bad-record"


def test_a_record_of_somebody_elses_is_refused(slurm: Fake, tmp_path: Path) -> None:
    path = taken_out(slurm, tmp_path / "mine", "gpu01").path
    copy = tmp_path / "unpacked" / path.name
    copy.parent.mkdir()
    copy.write_bytes(path.read_bytes())
    copy.chmod(0o600)
    with pytest.raises(SlowlinkError) as refused:
        session.give_back(str(copy), tmp_path, None)
    assert refused.value.slug == "foreign-record"
    path.chmod(0o666)
    with pytest.raises(SlowlinkError, match="others may write to it"):
        session.give_back(str(path), tmp_path, None)
    assert slurm.changes == ["gpu01"]
    assert RECORDS.records_in(tmp_path / "mine") == [path]
