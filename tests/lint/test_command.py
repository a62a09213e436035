"""``slowlink manifest --lint`` as people type it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from lint_manifests import BENCH, RIGHT, changed

from slowlink.cli.manifest import command
from slowlink.errors import SlowlinkError


def invoke(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(command, arguments, input=stdin, standalone_mode=False)


@pytest.mark.parametrize(
    ("text", "options", "status"),
    [
        (RIGHT, (), 0),
        (BENCH, (), 1),
        (BENCH, ("--fail-on", "never"), 0),
        (changed(RIGHT, ("  backoffLimit: 0\n", "")), (), 0),
        (changed(RIGHT, ("  backoffLimit: 0\n", "")), ("--fail-on", "warning"), 1),
    ],
)
def test_the_exit_status(tmp_path: Path, text: str, options: tuple[str, ...], status: int) -> None:
    path = tmp_path / "job.yaml"
    path.write_text(text)
    done = invoke("--lint", str(path), *options)
    assert done.exception is None
    assert done.return_value == status
    assert "HEALTHY" not in done.stdout
    assert invoke(*options, "--lint", "-", stdin=text).return_value == status


def test_all_findings_are_shown_with_line_path_and_yaml() -> None:
    shown = invoke("--lint", "-", stdin=BENCH).stdout
    assert "-:18  /build/all_reduce_perf" in shown
    assert "setting spec.template.spec.containers[0].command (document 1)" in shown
    assert '    add: ["IPC_LOCK"]\n' in shown
    assert "emptyDir: {medium: Memory}" in shown


def test_the_report_as_json_fits_its_schema() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    made = json.loads(invoke("--lint", "-", "--format", "json", stdin=BENCH).stdout)
    schema = json.loads((Path(__file__).parents[2] / "docs" / "report.schema.json").read_text())
    jsonschema.validate(made, schema)
    assert made["diagnoses"][0]["cause"] == "pods-not-joined"
    assert "completionMode: Indexed" in made["diagnoses"][0]["remedy"][0]["snippet"]


@pytest.mark.parametrize("name", ["absent.yaml", "."])
def test_what_cannot_be_read_is_said(name: str, tmp_path: Path) -> None:
    error = invoke("--lint", str(tmp_path / name)).exception
    assert isinstance(error, SlowlinkError)
    assert "cannot read" in error.message


@pytest.mark.parametrize("operator", ["job", "mpijob", "jobset"])
@pytest.mark.parametrize("network", [(), ("--host-network",), ("--pod-network", "rdma-net")])
def test_what_slowlink_writes_itself_is_clean(operator: str, network: tuple[str, ...]) -> None:
    asked = ("all_reduce", "--on", "kubernetes", "-n", "16", "--image", "registry.example/t:1", "--operator", operator)
    text = invoke(*asked, "--rdma-resource", "rdma/hca", *network).stdout
    done = invoke("--lint", "-", "--fail-on", "info", stdin=text)
    assert done.return_value == 0, done.stdout
    without = invoke(*asked).stdout  # nobody said that there is RDMA: that may be meant
    told = json.loads(invoke("--lint", "-", "--format", "json", stdin=without).stdout)
    assert [(each["rule"], each["severity"], each["confidence"]) for each in told["findings"]] == [
        ("rdma-resource", "warning", "possible")
    ]
