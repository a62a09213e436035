"""What commands print as JSON: pure ASCII, whatever the logs hold."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

from click.testing import CliRunner

import slowlink.cli
from slowlink.cli.isolate import command

_STEERS = "\x9b31m\u202e"


def test_names_that_steer_a_terminal_are_escaped(tmp_path: Path) -> None:
    names = [f"hx{number:02}" for number in range(1, 6)]
    rows = [f"{one},{other},390" for one, other in combinations(names, 2)]
    (tmp_path / "sheet.csv").write_text("\n".join(["node1,node2,busbw", *rows]) + "\n")
    (tmp_path / f"more{_STEERS}.csv").write_bytes(bytes(3000))
    printed = CliRunner().invoke(command, ["--from", str(tmp_path), "--format", "json"], standalone_mode=False).output
    assert printed.isascii()
    assert json.loads(printed)["unread"][0]["path"].endswith(f"more{_STEERS}.csv")


def test_no_command_writes_what_it_read_as_json_by_itself() -> None:
    """``plain_json`` does it for all; a schema holds nothing that was read."""
    for path in Path(slowlink.cli.__file__).parent.rglob("*.py"):
        own = [line for line in path.read_text().splitlines() if "json.dumps" in line and "schema" not in line]
        assert own == [], path
