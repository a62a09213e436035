"""Directories for a while are gone afterwards, also when the process that made them is killed."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import slowlink
from slowlink.errors import SlowlinkError
from slowlink.launch.temporary import remover
from slowlink.launch.temporary.places import OnNodes, held_until_end, temporary
from slowlink.workflows.rank_files.framed import make_script, remove_left_script

SOURCES = Path(slowlink.__file__).parent
_OTHER_WAYS = re.compile(r"\b(?:mkdtemp|TemporaryDirectory|NamedTemporaryFile|mkstemp|mktemp)\b")
_ALLOWED = {
    "lab": "its hosts are ended by ``lab down``",
    "launch/kubernetes_exec.py": "inside of pods, and a shell under the guard that removes its own",
}

_MAKES = """
import sys, time
from pathlib import Path
from slowlink.launch.temporary import places
with places.temporary(Path(sys.argv[1])) as directory:
    Path(directory, "raw.log").write_text("raw")
    print(directory, flush=True)
    time.sleep(60)
"""
_MAKES_ON_NODES = """
import subprocess, sys, time
from slowlink.launch.temporary.places import OnNodes
make, remove = sys.argv[1:]
removal = OnNodes([("sh", "-s")] * 2, remove)
removal.begin()
subprocess.run(("sh", "-s"), input=make.encode())
removal.made()
print("made", flush=True)
time.sleep(60)
"""
_GUARDED = """
import sys
from pathlib import Path
from slowlink.launch.temporary import places
from slowlink.launch.execute import execute
from slowlink.model.plan import Plan
with places.temporary(Path(sys.argv[1])) as directory:
    # A rank that writes until it is killed, and takes no notice of SIGTERM.
    script = 'trap "" TERM; while mkdir -p "$0/logs"; do echo x >"$0/logs/$$"; echo made; sleep 0.05; done'
    plan = Plan("local", ("sh", "-c", script, directory))
    execute(plan, Path(directory) / "scratch", lambda _: print(directory, flush=True), lambda _: None, grace_s=1)
"""


def killed_after_a_line(program: str, *words: str) -> str:
    """What it printed before it was killed."""
    process = subprocess.Popen([sys.executable, "-c", program, *words], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    line = process.stdout.readline().strip()
    process.kill()
    process.wait()
    process.stdout.close()
    return line


def is_gone(path: Path, patience_s: float = 20) -> bool:
    deadline = time.monotonic() + patience_s
    while path.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    return not path.exists()


def test_it_is_ours_alone_and_gone_afterwards(tmp_path: Path) -> None:
    with temporary(tmp_path) as directory:
        assert Path(directory).parent == tmp_path
        assert Path(directory).stat().st_mode & 0o777 == 0o700
        (Path(directory) / "file").write_text("x")
        assert held_until_end()
    assert list(tmp_path.iterdir()) == []
    assert held_until_end() == (), "nothing is left to be removed, and no process that waits for it"


def test_a_place_that_cannot_be_had(tmp_path: Path) -> None:
    with pytest.raises(SlowlinkError, match="cannot make a temporary directory"), temporary(tmp_path / "none"):
        pass
    assert held_until_end() == ()


def test_killed_it_is_gone(tmp_path: Path) -> None:
    directory = killed_after_a_line(_MAKES, str(tmp_path))
    assert is_gone(Path(directory))


def test_killed_between_order_and_directory(tmp_path: Path) -> None:
    """The order is with somebody else before there is anything to remove."""
    program = _MAKES.replace(
        "with places",
        "import os\nPath.mkdir = lambda self, mode: (os.mkdir(self), print(self, flush=True), os.kill(os.getpid(), 9))\nwith places",
    )
    directory = killed_after_a_line(program, str(tmp_path))
    assert is_gone(Path(directory))


def test_killed_what_ranks_still_write_is_gone(tmp_path: Path) -> None:
    """Nothing is removed before the guard has ended them: they would make it anew."""
    directory = killed_after_a_line(_GUARDED, str(tmp_path))
    assert is_gone(Path(directory))
    time.sleep(0.3)
    assert not Path(directory).exists()


def test_killed_what_was_made_on_nodes_is_gone(tmp_path: Path) -> None:
    place = tmp_path / "slowlink-1"
    assert killed_after_a_line(_MAKES_ON_NODES, make_script(str(place)), remove_left_script(str(place))) == "made"
    assert is_gone(place)


def test_a_node_that_made_it_after_the_first_removal_is_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The login that makes it was on its way when slowlink was killed."""
    late = tmp_path / "late"
    sleep = time.sleep
    monkeypatch.setattr(time, "sleep", lambda seconds: late.mkdir() if seconds == remover._UNSURE_S else sleep(seconds))
    order = {"id": 1, "argvs": [["sh", "-s"]], "script": remove_left_script(str(late)), "unsure": True}
    remover.sweep([order])
    assert not late.exists()


def test_what_was_removed_is_not_removed_again(tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    removal = OnNodes([("sh", "-s")], remove_left_script(str(place)))
    removal.begin()
    removal.made()
    removal.removed()
    assert held_until_end() == ()
    assert place.exists()


def test_ctrl_c_of_a_terminal_does_not_end_who_removes(tmp_path: Path) -> None:
    with temporary(tmp_path):
        deadline = time.monotonic() + 20
        while not (found := [pid for pid in _removers() if _ignores(pid, signal.SIGTERM)]):
            assert time.monotonic() < deadline, "it would be ended"
            time.sleep(0.02)
        assert os.getsid(found[0]) == found[0] != os.getsid(0)


def _removers() -> list[int]:
    return [
        int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal() and _is_remover_of_ours(entry)
    ]


def _is_remover_of_ours(entry: Path) -> bool:
    try:
        parent = (entry / "stat").read_text().rpartition(")")[2].split()[1]
        return int(parent) == os.getpid() and b"remover.py" in (entry / "cmdline").read_bytes()
    except OSError:
        return False


def _ignores(pid: int, number: int) -> bool:
    found = re.search(r"^SigIgn:\s*([0-9a-f]+)", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    return found is not None and bool(int(found[1], 16) >> (number - 1) & 1)


def test_nobody_makes_directories_for_a_while_another_way() -> None:
    """What is made another way stays when slowlink is killed."""
    found = [
        str(path.relative_to(SOURCES))
        for path in SOURCES.rglob("*")
        if path.suffix in (".py", ".sh", ".txt") and _OTHER_WAYS.search(path.read_text(encoding="utf-8"))
    ]
    assert [name for name in found if name.split("/")[0] not in _ALLOWED and name not in _ALLOWED] == []
