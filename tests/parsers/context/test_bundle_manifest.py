"""What a manifest says becomes records: commands, variables, and ends that are not as they should be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slowlink import analyze
from slowlink.bundle import BundleWriter, pack
from slowlink.model.job import Command, JobEvent
from slowlink.model.nccl import EnvSetting
from slowlink.model.plan import Ended
from slowlink.parsers.context.bundle_manifest import BundleManifest
from slowlink.redact import Anonymizer, Redaction
from slowlink.simulate.job import SimulatedJob, job_log
from slowlink.simulate.nccl_log_output import LoggedCluster


def manifest(*captures: dict[str, Any], schema: str = "slowlink.bundle/1") -> dict[str, Any]:
    named = [{"name": "run-1", "kind": "collective", **capture} for capture in captures]
    return {"schema": schema, "captures": named, "finished": "2026-01-31T23:59:59Z"}


def read(value: object) -> list[Any]:
    return list(BundleManifest().read(value, "m", 1))


def ended(reason: str, status: int | None = None, signal: int | None = None, **more: object) -> dict[str, Any]:
    return {"reason": reason, "status": status, "signal": signal, "started_at": 1.0, "seconds": 2.0, **more}


def test_it_is_known_by_its_schema_alone() -> None:
    assert BundleManifest.wants_document({"schema": "slowlink.bundle/1"})
    assert BundleManifest.wants_document({"schema": "slowlink.bundle/9"})
    assert not BundleManifest.wants_document({"schema": "slowlink.report/1"})
    assert not BundleManifest.wants_document({"captures": []})
    assert not BundleManifest.wants_document([])


def test_a_command_with_its_launcher_and_variables() -> None:
    argv = ["mpirun", "-np", "16", "-x", "NCCL_IB_HCA=mlx5", "./all_reduce_perf", "-b", "8"]
    records = read(
        manifest({"argv": argv, "node": "n1", "env": {"NCCL_DEBUG": "INFO", "HOME": "/"}, "ended": ended("exited", 0)})
    )
    command = next(record for record in records if isinstance(record, Command))
    assert (command.program, command.launcher, command.nranks) == ("all_reduce_perf", "mpirun", 16)
    settings_ = {(s.name, s.value, s.origin, s.process.host) for s in records if isinstance(s, EnvSetting)}
    assert settings_ == {("NCCL_IB_HCA", "mlx5", "command", "n1"), ("NCCL_DEBUG", "INFO", "dump", "n1")}
    assert not [record for record in records if isinstance(record, JobEvent)]


def test_a_program_that_nobody_knows_is_a_command_too() -> None:
    (command,) = read(manifest({"argv": ["/opt/x/odd-tool", "a b"], "ended": ended("written")}))
    assert (command.program, command.argv) == ("odd-tool", ("/opt/x/odd-tool", "a b"))
    assert command.ref.text == "/opt/x/odd-tool 'a b'"


@pytest.mark.parametrize(
    ("end", "groups", "text"),
    [
        (ended("exited", 3), {"reason": "exited", "status": "3"}, "run-1 exited with status 3"),
        (ended("exited", None, 9), {"reason": "exited", "signal": "9"}, "run-1 was ended by signal 9"),
        (
            ended("timeout", None, 15),
            {"reason": "timeout", "signal": "15"},
            "run-1 was ended at its time limit after 2 s",
        ),
        (
            ended("silent", nodes=["n2", "n3"], detail="cut?"),
            {"reason": "silent", "nodes": "n[2-3]", "detail": "cut?"},
            "run-1 was ended by the watchdog after 2 s: nothing was heard (cut?)",
        ),
        (ended("interrupted", 130), {"reason": "interrupted", "status": "130"}, "run-1 was interrupted after 2 s"),
        (ended("not-started", detail="x"), {"reason": "not-started", "detail": "x"}, "run-1 could not be started (x)"),
    ],
)
def test_a_bad_end_is_an_event(end: dict[str, Any], groups: dict[str, str], text: str) -> None:
    (event,) = read(manifest({"ended": end}))
    assert (event.kind, event.origin, event.text) == ("slowlink-run-ended", "slowlink", text)
    assert event.groups == {"capture": "run-1", "kind": "collective", "seconds": "2", **groups}


@pytest.mark.parametrize(
    ("end", "groups"),
    [
        (ended("exited", 3), {"code": "3"}),
        (ended("exited", None, 9), {"signal": "9"}),
        (ended("timeout", None, 15), None),
        (ended("exited", 0), None),
    ],
)
def test_the_end_of_the_user_s_own_command_is_that_of_a_process(
    end: dict[str, Any], groups: dict[str, str] | None
) -> None:
    events = read(manifest({"kind": "command", "argv": ["/opt/train.sh", "8"], "ended": end}))
    ends = [event for event in events if isinstance(event, JobEvent)]
    told = [event.groups for event in ends if event.kind == "command-exited"]
    assert told == ([{"form": "end", "program": "train.sh", **groups}] if groups is not None else [])


def test_one_silent_node_is_the_event_s_host() -> None:
    (event,) = read(manifest({"node": "n1", "ended": ended("silent", nodes=["n2"])}))
    assert event.host == "n2"


def test_a_capture_without_an_end_was_cut_off() -> None:
    (event,) = read({**manifest({"ended": None}), "finished": None})
    assert event.groups == {"capture": "run-1", "kind": "collective", "reason": "cut-off"}
    assert event.text == "run-1 has no end: slowlink was ended before it"


def test_a_bundle_without_an_end_was_cut_off_between_two_captures() -> None:
    whole = manifest({"ended": ended("written")})
    assert read(whole) == []
    (event,) = read({**whole, "finished": None})
    assert (event.groups, event.text) == (
        {"reason": "cut-off"},
        "the bundle has no end: slowlink was ended before it",
    )


def test_nodes_that_were_still_asked_give_one_event_for_all() -> None:
    (event,) = read(manifest({"kind": "state", "ended": None}, {"kind": "state", "ended": None}))
    assert event.groups == {"reason": "cut-off"}


def test_a_newer_manifest_is_read_as_far_as_it_is_known() -> None:
    (event,) = read(manifest({"ended": ended("exited", 1), "news": 1}, schema="slowlink.bundle/2"))
    assert event.groups["status"] == "1"


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
captures = st.dictionaries(st.sampled_from(["name", "argv", "env", "ended", "node", "files"]), values, max_size=5)


@settings(deadline=None, max_examples=60)
@given(st.lists(captures | values, max_size=3), values)
def test_any_value_gives_records(found: list[object], nodes: object) -> None:
    read({"schema": "slowlink.bundle/1", "captures": found})
    read({"schema": "slowlink.bundle/1", "captures": [{"name": "x", "ended": {"reason": "silent", "nodes": nodes}}]})


JOB = SimulatedJob(cluster=LoggedCluster(hosts=("alpha-3", "alpha-4"), gpus=4), command=False)


def bundle(place: Path, redaction: Redaction | None = None) -> Path:
    with BundleWriter(place, redaction=redaction) as writer:
        writer.set_nodes(JOB.cluster.hosts)
        with writer.capture(
            "run-1", "collective", ["mpirun", "-np", "8", "all_reduce_perf"], env={"NCCL_X": "1"}
        ) as run:
            run.write_stdout(job_log(JOB))
            run.end(Ended(0, None, "exited", 1.0, 1.0))
    return writer.directory


def test_analyze_reads_a_bundle_and_its_archive_alike_and_leaves_nothing_unread(tmp_path: Path) -> None:
    place = bundle(tmp_path / "b")
    plain = analyze(place)
    packed = analyze(pack(place, tmp_path / "b.tar.zst"))
    for report, name in ((plain, "b"), (packed, "b.tar.zst")):
        paths = {str(Path(item.path).relative_to(tmp_path)): item for item in report.inputs}
        assert set(paths) == {f"{name}!manifest.json", f"{name}!captures/run-1/stdout"}
        assert paths[f"{name}!manifest.json"].unread == 0
        assert paths[f"{name}!manifest.json"].kinds == ("bundle",)
    assert (plain.verdict, plain.headline, plain.sweeps[0].points) == (
        packed.verdict,
        packed.headline,
        packed.sweeps[0].points,
    )


def test_names_that_were_replaced_change_nothing_in_the_conclusion(tmp_path: Path) -> None:
    open_ = analyze(bundle(tmp_path / "open"))
    hidden = analyze(bundle(tmp_path / "hidden", Redaction(Anonymizer())))
    assert "alpha" not in repr(hidden)
    assert (hidden.verdict, hidden.headline) == (open_.verdict, open_.headline)
    assert [d.cause for d in hidden.diagnoses] == [d.cause for d in open_.diagnoses]
    assert [(o.rule, o.outcome) for o in hidden.outcomes] == [(o.rule, o.outcome) for o in open_.outcomes]
    for before, after in zip(open_.sweeps, hidden.sweeps, strict=True):
        assert (before.points, before.nnodes, before.nranks) == (after.points, after.nnodes, after.nranks)
        assert after.hosts == ("host-001", "host-002")
