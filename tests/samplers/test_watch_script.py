"""The sampler itself, run by sh on a made-up root: names, shares, whose a process is, counters, and no arguments."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from pathlib import Path

import pytest

from slowlink.facts.assemble import assemble
from slowlink.inputs import open_inputs
from slowlink.parsers.reading.read import read
from slowlink.samplers import Sampling, watch_script

CORES = "cpu  {busy} 0 0 {idle} 0 0 0 0 0 0\n"


class Root:
    """A root with processes whose time can be set."""

    def __init__(self, place: Path) -> None:
        self.path = place
        (place / "sys/class/infiniband/mlx5_0/ports/1/counters").mkdir(parents=True)
        (place / "sys/class/infiniband/mlx5_0/ports/1/counters/symbol_error").write_text("12\n")
        (place / "proc").mkdir()
        self.cores(0, 0)

    def cores(self, busy: int, idle: int) -> None:
        (self.path / "proc/stat").write_text(CORES.format(busy=busy, idle=idle))

    def process(self, pid: int, name: str, jiffies: int, run: str = "", secret: str = "") -> None:
        directory = self.path / f"proc/{pid}"
        directory.mkdir(exist_ok=True)
        fields = ["S", *(["0"] * 10), str(jiffies), "0", *(["0"] * 6), "77", *(["0"] * 10)]
        new = directory / "stat.new"
        new.write_text(f"{pid} ({name}) {' '.join(fields)}\n")
        new.rename(directory / "stat")
        (directory / "environ").write_text(f"HOME=/root\0SLOWLINK_RUN={run}\0TOKEN={secret}\0")
        (directory / "cmdline").write_text(f"{name}\0--password={secret}\0")


@pytest.fixture
def root(tmp_path: Path) -> Root:
    return Root(tmp_path)


def sampled(root: Root, change: object, seconds: float = 2.0) -> list[str]:
    """Lines of a run in which ``change`` is called after the first sample."""
    script = watch_script(Sampling("abc", interval_s=1, longest_s=seconds, root=str(root.path)))
    timer = threading.Timer(0.5, change)  # type: ignore[arg-type]
    timer.start()
    done = subprocess.run(["sh", "-s"], input=script, capture_output=True, text=True, timeout=60, check=False)
    timer.join()
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_foreign_processes_are_named_with_their_share_and_ours_are_summed(root: Root) -> None:
    root.process(10, "all_reduce (x) y", 0, run="abc", secret="hunter2")
    root.process(11, "site diag\n", 0, run="other", secret="hunter2")
    root.process(12, "idle-agent", 0)

    def change() -> None:
        root.cores(150, 50)
        root.process(10, "all_reduce (x) y", 80, run="abc", secret="hunter2")
        root.process(11, "site diag", 50, run="other", secret="hunter2")
        root.process(13, "begun since", 40)

    lines = sampled(root, change)
    assert [line.split()[:3] for line in lines if line.startswith("process")] == [
        ["process", "11", "site_diag"],
        ["process", "13", "begun_since"],
    ]
    (busy,) = [line for line in lines if line.startswith("cpu 75.0 %")]
    own = float(busy.split(", ")[1].split()[0])
    assert 40 < own <= 90  # 0.8 s of processor time within a second or a little more
    assert "hunter2" not in "".join(lines)


def test_counters_are_printed_as_the_kernel_has_them(root: Root) -> None:
    lines = sampled(root, lambda: None, seconds=1)
    assert f"{root.path}/sys/class/infiniband/mlx5_0/ports/1/counters/symbol_error:12" in lines
    times = [float(line.split()[1]) for line in lines if line.startswith("slowlink-sample")]
    assert len(times) >= 2
    assert abs(times[0] - time.time()) < 3600


GPU_TOOL = """\
#!/bin/sh
case "$*" in
*query-gpu*)
    echo "index, utilization.gpu [%], clocks.current.sm [MHz], power.draw [W], temperature.gpu"
    echo "0, 97 %, 1980 MHz, 512.33 W, 55"
    ;;
*query-compute-apps*)
    echo "gpu_uuid, pid, process_name, used_gpu_memory [MiB]"
    echo "GPU-1b2c3d4e-0000-1111-2222-333344445555, 10, /opt/all_reduce_perf -b 8, 900 MiB"
    echo "GPU-1b2c3d4e-0000-1111-2222-333344445555, 11, /opt/diag/burn --token=hunter2, 1234 MiB"
    ;;
esac
"""


def test_processes_on_gpus_that_are_not_ours_are_found(
    root: Root, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "nvidia-smi").write_text(GPU_TOOL)
    (tools / "nvidia-smi").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    root.process(10, "all_reduce_perf", 0, run="abc")
    root.process(11, "burn", 0)
    text = "\n".join(sampled(root, lambda: None, seconds=1))
    assert "hunter2" not in text
    (tmp_path / "node03.txt").write_text("[root@node03 ~]# sh watch\n" + text + "\n")
    known = assemble(read(open_inputs([str(tmp_path / "node03.txt")])))
    assert known.watched is not None
    assert [(busy.name, busy.on_gpu) for busy in known.watched.busy] == [("burn", True)]
    assert known.state is not None
    assert {reading.value for reading in known.state.readings["gpu-utilisation"].all} == {97}


def test_nothing_but_plain_words_enters_the_script() -> None:
    for bad in (Sampling("a; rm"), Sampling("a", root="/x y"), Sampling("a", ours=("$(id)",)), Sampling("a'")):
        with pytest.raises(ValueError, match="not plain words"):
            watch_script(bad)
