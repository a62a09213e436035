"""The limit that scripts put before programs on nodes ends those, too, that take no notice of SIGTERM."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import slowlink
from slowlink.bounded import limit_line
from slowlink.launch.node_check import check_script
from slowlink.settings.prelude import PRELUDE

SOURCES = Path(slowlink.__file__).parent


def test_a_program_that_ignores_sigterm_is_ended() -> None:
    script = f"{limit_line(1)}\n$limit sh -c 'trap \"\" TERM; while :; do sleep 0.2; done'\necho ended $?"
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, timeout=30, check=True)
    assert "ended 137" in done.stdout


def test_without_timeout_there_is_no_limit(tmp_path: Path) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", f'{limit_line(1)}\necho "[$limit]"'],
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.stdout == "[]\n"


def test_every_script_bounds_so() -> None:
    """Not by SIGTERM alone, where timeout(1) knows better."""
    assert limit_line(30) in PRELUDE
    assert limit_line(10) in check_script((), None)
    for script in SOURCES.rglob("*.sh"):
        text = script.read_text()
        assert len(re.findall(r"'timeout -k", text)) == len(re.findall(r"'timeout \d", text)), script.name
