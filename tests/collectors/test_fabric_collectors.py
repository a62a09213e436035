"""The collectors of the fabric, with tools that print what they are told to."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from slowlink.collectors.catalogue import all_collectors

COLLECTORS = {each.name: each for each in all_collectors()}
SUMMARY = "## Summary: 2 nodes checked, 1 bad nodes found"


def ran(tmp_path: Path, name: str, **tools: tuple[str, int]) -> tuple[int, str, str]:
    """Status, output and errors of a collector where each tool prints a text and ends with a status."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for tool, (text, status) in {"sleep": ("", 0), **tools}.items():
        (programs / tool).write_text(f"#!/bin/sh\ncat <<'END'\n{text}\nEND\nexit {status}\n")
        (programs / tool).chmod(0o755)
    done = subprocess.run(
        ["sh", "-c", COLLECTORS[name].text],
        capture_output=True,
        text=True,
        timeout=60,
        env={"PATH": f"{programs}:{os.environ['PATH']}", "ROOT": str(tmp_path)},
        check=False,
    )
    return done.returncode, done.stdout.strip(), done.stderr.strip()


@pytest.mark.parametrize("name", ["fabric-errors", "fabric-recount"])
@pytest.mark.parametrize("status", [0, 1])
def test_errors_are_an_answer_whatever_the_status(tmp_path: Path, name: str, status: int) -> None:
    assert ran(tmp_path, name, ibqueryerrors=(SUMMARY, status)) == (0, SUMMARY, "")


def test_no_answer_is_a_failure_although_the_tool_says_0(tmp_path: Path) -> None:
    text = "Query SA failed: Connection timed out; sa call path_query failed"
    assert ran(tmp_path, "fabric-errors", ibqueryerrors=(text, 0)) == (1, text, text)


@pytest.mark.parametrize(("name", "tool"), [("fabric-errors", "ibqueryerrors"), ("fabric-links", "iblinkinfo")])
def test_who_may_not_ask_skips(tmp_path: Path, name: str, tool: str) -> None:
    status, _, said = ran(tmp_path, name, **{tool: ("ibpanic: Failed to open '(null)' port '0'", 1)})
    assert (status, "ailed to open" in said) == (77, True)


def test_links(tmp_path: Path) -> None:
    row = '0x1 "x" 1 1[  ] ==( 4X Active/  LinkUp)==>  0x2 2 1[  ] "leaf" ( )'
    assert ran(tmp_path, "fabric-links", iblinkinfo=(row, 0)) == (0, row, "")


def test_no_links_are_a_failure(tmp_path: Path) -> None:
    assert ran(tmp_path, "fabric-links", iblinkinfo=("discover failed", 0))[0] == 1


def test_each_hca_is_named_before_its_answer(tmp_path: Path) -> None:
    for name in ("mlx5_0", "mlx5_1"):
        (tmp_path / "sys/class/infiniband" / name).mkdir(parents=True)
    status, out, _ = ran(tmp_path, "mlxlink", mlxlink=("State : Active", 0))
    assert (status, out.splitlines()) == (
        0,
        ["mlxlink -d mlx5_0 -c -m", "State : Active", "mlxlink -d mlx5_1 -c -m", "State : Active"],
    )


def test_the_manager_is_asked_and_its_silence_is_kept(tmp_path: Path) -> None:
    text = "sminfo: iberror: failed: query"
    assert ran(tmp_path, "fabric-manager", sminfo=(text, 1), saquery=("never", 0)) == (0, text, "")


def test_one_node_is_asked_for_the_fabric_and_mlxlink_only_on_demand() -> None:
    whens = {name: COLLECTORS[name].when for name in COLLECTORS if name.startswith("fabric-") or name == "mlxlink"}
    assert set(whens.values()) == {"fabric", "asked"}
    assert [name for name, when in whens.items() if when == "asked"] == ["mlxlink"]
    assert list(whens).index("fabric-errors") < list(whens).index("fabric-recount")
