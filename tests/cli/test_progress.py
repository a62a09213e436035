"""A terminal shows how far the reading is; nobody else sees anything of it."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from slowlink.cli import progress
from slowlink.inputs.progress import Progress, bytes_below


def test_the_size_of_what_is_named_is_known_but_of_pipes(tmp_path: Path) -> None:
    (tmp_path / "logs" / "deep").mkdir(parents=True)
    (tmp_path / "logs" / "deep" / "a.log").write_bytes(b"x" * 70)
    (tmp_path / "b.log").write_bytes(b"x" * 7)
    paths = [str(tmp_path / "logs"), str(tmp_path / "b.log")]
    assert bytes_below(paths) == 77
    assert bytes_below([*paths, "-"]) is None


def test_no_bar_where_nobody_looks(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(progress, "_MOMENT_S", 0.0)
    with progress.shown_progress(["-"]) as shown:
        shown.add(7)
    assert type(shown) is Progress
    assert capfd.readouterr() == ("", "")


_SLOW = """
import sys
from slowlink.cli import progress
progress._MOMENT_S = progress._EVERY_S = 0.0
with progress.shown_progress(sys.argv[1:]) as shown:
    shown.add(30)
    shown.add(40)
print("read", shown.passed)
"""


def test_a_terminal_shows_bytes_and_is_left_clean(tmp_path: Path) -> None:
    (tmp_path / "job.log").write_bytes(b"x" * 70)
    terminal, end = pty.openpty()
    command = [sys.executable, "-c", _SLOW, str(tmp_path / "job.log")]
    done = subprocess.run(
        command, stderr=end, stdout=subprocess.PIPE, env={**os.environ, "TERM": "xterm", "COLUMNS": "110"}, check=True
    )
    shown = os.read(terminal, 1 << 16).decode()
    os.close(end)
    os.close(terminal)
    assert done.stdout == b"read 70\n"
    words = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)
    assert "30/70 bytes" in words
    assert "70/70 bytes" in words
    assert "Ctrl-C: what was read so far" in words
    assert shown.rstrip().endswith("\x1b[2K")  # the bar's line is wiped
