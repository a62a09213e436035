"""``tools/gpu_check.sh``: what a machine without a GPU is told, and that each part is asked where there is one."""

from __future__ import annotations

import os
import shlex
import subprocess
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parent.parent
SLOWLINK = """\
#!/bin/sh
echo "$*" >>"$CALLS"
case $1 in run) exit 3 ;; esac
"""


def checked(tools: Path, *words: str) -> subprocess.CompletedProcess[str]:
    env = {"PATH": f"{tools}:/usr/bin:/bin", "SLOWLINK": str(tools / "slowlink"), "CALLS": str(tools / "calls")}
    script = ["sh", str(ROOT / "tools/gpu_check.sh"), *words]
    return subprocess.run(script, env={**os.environ, **env}, capture_output=True, text=True, timeout=60, check=False)


def program(place: Path, text: str) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)
    place.chmod(0o755)


def test_a_machine_without_a_gpu_is_told_so(tmp_path: Path) -> None:
    program(tmp_path / "nvidia-smi", "#!/bin/sh\necho 'No devices were found' >&2; exit 6\n")
    done = checked(tmp_path, str(tmp_path / "out"))
    assert (done.returncode, done.stderr) == (2, "gpu_check: nvidia-smi lists no GPU\n")
    assert "sh tools/gpu_check.sh OUT" in checked(tmp_path).stdout


def test_every_part_is_asked_and_what_was_not_measured_is_named(tmp_path: Path) -> None:
    program(tmp_path / "nvidia-smi", "#!/bin/sh\necho 'GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-1b2c3d4e)'\n")
    program(tmp_path / "slowlink", SLOWLINK)
    program(tmp_path / "tests/all_reduce_perf", "#!/bin/sh\n")
    done = checked(tmp_path, str(tmp_path / "out"), str(tmp_path / "tests"))
    calls = [shlex.split(line) for line in (tmp_path / "calls").read_text().splitlines()]
    assert [name for name, *_ in calls] == ["snapshot", "run", "run", "analyze", "analyze"]
    for name, *words in calls:  # each is one that the command line takes
        import_module(f"slowlink.cli.{name}").command.make_context(name, words)
    assert done.returncode == 1
    assert "gpu_check: not measured: nccl-tests nccl-probe" in done.stderr
