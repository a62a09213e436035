"""The collector of NCCL's RAS, run by a real shell against servers of several manners, and read by its parsers."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from fake_ras import serving
from slowlink.inputs import Input
from slowlink.model.records import Records
from slowlink.parsers.reading.read import read
from slowlink.workflows.attach.question import RAS, collectors, only_looking

TOOLS = ("sh", "awk", "cat", "date", "grep", "head", "hostname", "sed", "sort", "timeout", "tr", "true", "uname")


def ask(port: int, *, path: str | None = None, root: str = "", addresses: tuple[str, ...] | None = None) -> str:
    """What the collector prints. It waits a second for an answer."""
    given = (f"localhost:{port}",) if addresses is None else addresses
    (ras,) = (each for each in collectors(given, state=False) if each.name == RAS)
    text = ras.text.replace("\nPATIENCE=30\n", "\nPATIENCE=1\n")
    environment = {"PATH": path or os.environ["PATH"], "ROOT": root, "HOME": "/nowhere"}
    sh = shutil.which("sh") or "sh"
    done = subprocess.run([sh, "-c", text], env=environment, capture_output=True, timeout=60, check=True)
    assert done.stderr == b""
    return done.stdout.decode()


def records(text: str) -> Records:
    return read([Input("node.txt", None, [text.encode()])], workers=1)


def told(text: str) -> list[tuple[str, str]]:
    return [(each.outcome, each.detail) for each in records(text).ras_asked]


def bin_with(place: Path, *more: str) -> str:
    """A PATH with these tools and no others."""
    place.mkdir()
    for name in (*TOOLS, *more):
        found = shutil.which(name)
        assert found is not None
        (place / name).symlink_to(found)
    return str(place)


def test_an_answer_that_is_nested_without_end_is_said_to_be_cut() -> None:
    with serving("nested") as (port, _):
        text = ask(port)
    assert text.splitlines()[-1] == f"slowlink-ras end localhost:{port} cut: it ends before its end"


def test_an_address_is_no_pattern(tmp_path: Path) -> None:
    (tmp_path / "10.0.0.9:80").touch()
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc" / "nccl.conf").write_text(f"NCCL_RAS_ADDR={tmp_path}/*\nNCCL_RAS_ADDR=*:[0-9]*\n")
    (ras,) = (each for each in collectors((), state=False) if each.name == RAS)
    environment = {"PATH": os.environ["PATH"], "ROOT": str(tmp_path), "HOME": "/nowhere"}
    done = subprocess.run(
        ["sh", "-c", ras.text], env=environment, cwd=tmp_path, capture_output=True, timeout=60, check=True
    )
    asked = [line.split()[2] for line in done.stdout.decode().splitlines() if " by " in line]
    assert asked == ["localhost:28028"]


def test_json_where_it_is_known() -> None:
    with serving("json") as (port, job):
        text = ask(port)
    assert job.commands == ["CLIENT PROTOCOL 2", "TIMEOUT 10", "SET FORMAT json", "VERBOSE STATUS"]
    found = records(text)
    assert told(text) == [("answered", "")]
    (answer,) = found.ras
    assert (answer.nccl, answer.complete, answer.gpus) == ("2.29.2", True, 8)
    assert answer.communicators[0].launched == tuple((n, 143) for n in range(8))
    assert found.sources[0].unread == 0


def test_text_of_an_old_version_on_the_same_connection() -> None:
    with serving("text") as (port, job):
        text = ask(port)
    assert job.commands == ["CLIENT PROTOCOL 2", "TIMEOUT 10", "SET FORMAT json", "VERBOSE STATUS"]
    assert told(text) == [("answered", "")]
    (answer,) = records(text).ras
    assert (answer.nccl, answer.complete, answer.groups[0].status) == ("2.28.7", True, "RUNNING")


@pytest.mark.parametrize(
    ("manner", "outcome", "detail"),
    [
        ("closes", "cut", "it ends before its end"),
        ("foreign", "foreign", "what listens there does not speak RAS"),
        ("hangs", "silent", "timed out"),
        ("empty", "silent", "no answer"),
        ("floods", "cut", "more than 3 MiB"),
    ],
)
def test_a_server_that_misbehaves(manner: str, outcome: str, detail: str) -> None:
    with serving(manner) as (port, _):
        text = ask(port)
    assert told(text) == [(outcome, detail)]
    assert len(text) < (3 << 20) + 1000


def test_control_characters_stay_there() -> None:
    with serving("controls") as (port, _):
        text = ask(port)
    assert [each for each in text if each < " " and each != "\n"] == []
    assert told(text) == [("answered", "")]


def test_bash_where_there_is_no_python(tmp_path: Path) -> None:
    path = bin_with(tmp_path / "bin", "bash")
    with serving("controls") as (port, job):
        text = ask(port, path=path)
    assert " by bash\n" in text
    assert told(text) == [("answered", "")]
    assert "SET FORMAT json" not in job.commands
    assert [each for each in text if each < " " and each != "\n"] == []
    assert len(records(text).ras) == 1
    for manner, outcome in (("foreign", "foreign"), ("hangs", "silent"), ("closes", "cut")):
        with serving(manner) as (port, _):
            assert [each for each, _ in told(ask(port, path=path))] == [outcome]


def test_ncclras_where_there_is_neither(tmp_path: Path) -> None:
    path = bin_with(tmp_path / "bin")
    with serving("text") as (port, _):
        assert told(ask(port, path=path)) == [("silent", "this node has neither python3 nor bash nor ncclras")]
        program = tmp_path / "bin" / "ncclras"
        program.write_text("#!/bin/sh\necho \"asked $*\"\nprintf '\\nWarnings\\n========\\n'\n")
        program.chmod(0o755)
        text = ask(port, path=path)
    assert f"asked -v -t 10 -h localhost -p {port}\n" in text
    assert told(text) == [("answered", "")]


def test_a_node_that_is_only_looked_at() -> None:
    with serving("json") as (port, job):
        (ras,) = only_looking(collectors([f"localhost:{port}"], state=False))
        environment = {"PATH": os.environ["PATH"], "ROOT": "", "HOME": "/nowhere"}
        done = subprocess.run(["sh", "-c", ras.text], env=environment, capture_output=True, text=True, check=True)
        assert job.commands == []
    assert told(done.stdout) == [("unasked", "other nodes were")]


def test_where_nothing_listens() -> None:
    with serving("json") as (port, _):
        pass
    assert told(ask(port)) == [("absent", "nothing listens there")]


@pytest.mark.parametrize("client", ["python3", "bash"])
def test_an_address_of_another_machine_is_not_asked(tmp_path: Path, client: str) -> None:
    path = None if client == "python3" else bin_with(tmp_path / "bin", "bash")
    with serving("json") as (port, job):
        ((outcome, detail),) = told(ask(port, path=path, addresses=(f"192.0.2.1:{port}",)))
        assert job.commands == []
    assert (outcome, "address" in detail) == ("silent", True)


def test_addresses_that_processes_and_the_configuration_name(tmp_path: Path) -> None:
    with serving("json") as (one, _), serving("text") as (other, _):
        (tmp_path / "proc" / "4711").mkdir(parents=True)
        (tmp_path / "proc" / "4711" / "environ").write_bytes(
            f"HOME=/root\0NCCL_RAS_ADDR=127.0.0.1:{one}\0X=1\0".encode()
        )
        (tmp_path / "proc" / "4712").mkdir()
        (tmp_path / "proc" / "4712" / "environ").write_bytes(b"NCCL_RAS_ADDR=$(touch /tmp/x);localhost:1\0")
        (tmp_path / "etc").mkdir()
        (tmp_path / "etc" / "nccl.conf").write_text(f"NCCL_RAS_ADDR=localhost:{other}\n")
        text = ask(0, root=str(tmp_path), addresses=())
    asked = {each.address: each.outcome for each in records(text).ras_asked}
    usual = asked.pop("localhost:28028")
    assert usual in ("absent", "answered")
    assert asked == {f"127.0.0.1:{one}": "answered", f"localhost:{other}": "answered"}
