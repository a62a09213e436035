"""The sampler itself, run by sh on a made-up root: names, shares, whose a process is, counters, and no arguments."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable
from functools import partial
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

    def traffic(self, sent: int) -> None:
        row = "{name}: {sent} 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
        text = (
            "Inter-| Receive\n face |bytes\n" + row.format(name="    lo", sent=0) + row.format(name="  ib0", sent=sent)
        )
        (self.path / "proc/net/dev").write_text(text)

    def process(
        self,
        pid: int,
        name: str,
        jiffies: int,
        run: str = "",
        secret: str = "",
        state: str = "S",
        written: int = 0,
        pages: int = 0,
    ) -> None:
        directory = self.path / f"proc/{pid}"
        directory.mkdir(exist_ok=True)
        fields = [state, *(["0"] * 10), str(jiffies), "0", *(["0"] * 6), "77", "0", str(pages), *(["0"] * 8)]
        new = directory / "stat.new"
        new.write_text(f"{pid} ({name}) {' '.join(fields)}\n")
        new.rename(directory / "stat")
        (directory / "environ").write_text(f"HOME=/root\0SLOWLINK_RUN={run}\0TOKEN={secret}\0")
        (directory / "io").write_text(f"rchar: 9999999999\nread_bytes: 0\nwrite_bytes: {written}\n")
        (directory / "cmdline").write_text(f"{name}\0--password={secret}\0")


@pytest.fixture
def root(tmp_path: Path) -> Root:
    return Root(tmp_path)


REAL_SLEEP = shutil.which("sleep")
SLEEP = """\
#!/bin/sh
: >"{asleep}"
while [ -e "{asleep}" ]; do {sleep} 0.02; done
exec {sleep} "$1"
"""


def sampled(root: Root, *changes: Callable[[], object], seconds: float = 2.0) -> list[str]:
    """Lines of a run in which the first of ``changes`` is made between the first two samples, the second after those, and so on.

    Between samples, whatever the machine does meanwhile: the sampler's own sleep waits for it.
    """
    asleep, tool = root.path / "asleep", root.path / "waits/sleep"
    tool.parent.mkdir(exist_ok=True)
    tool.write_text(SLEEP.format(asleep=asleep, sleep=REAL_SLEEP))
    tool.chmod(0o755)
    script = watch_script(Sampling("abc", interval_s=1, longest_s=seconds, root=str(root.path)))
    with subprocess.Popen(
        ["sh", "-c", script],
        env={**os.environ, "PATH": f"{tool.parent}:{os.environ['PATH']}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as sampler:
        left = list(changes)
        while sampler.poll() is None:
            if asleep.exists():
                if left:
                    left.pop(0)()
                asleep.unlink()
            time.sleep(0.01)
        out, errors = sampler.communicate(timeout=60)
    assert (errors, left) == ("", [])
    return out.splitlines()


def nothing() -> None:
    """No change between two samples."""


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


def test_a_process_cannot_hide_behind_the_ends_of_lines_in_its_name(root: Root) -> None:
    names = ("dig\ner", "\n) R 1 2\n", "a\nb\nc\nd\ne\nf\ng\nh")
    for pid, name in enumerate(names, 10):
        root.process(pid, name, 0)

    def change() -> None:
        for pid, name in enumerate(names, 10):
            root.process(pid, name, 50)

    lines = sampled(root, change)
    assert [line.split()[:3] for line in lines if line.startswith("process")] == [
        ["process", "10", "dig_er"],
        ["process", "11", "___R_1_2_"],
        ["process", "12", "a_b_c_d_e_f_g_h"],
    ]


def test_counters_are_printed_as_the_kernel_has_them(root: Root) -> None:
    lines = sampled(root, seconds=1)
    assert f"{root.path}/sys/class/infiniband/mlx5_0/ports/1/counters/symbol_error:12" in lines
    times = [float(line.split()[1]) for line in lines if line.startswith("slowlink-sample")]
    assert len(times) >= 2
    assert abs(times[0] - time.time()) < 3600


def test_who_writes_much_to_disks_is_named_with_its_rate(root: Root) -> None:
    root.process(10, "all_reduce_perf", 0, run="abc")
    root.process(11, "archiver", 0)

    def both_wrote(written: int) -> None:
        root.process(10, "all_reduce_perf", written // 10**7, run="abc", written=written)
        root.process(11, "archiver", written // 10**7, written=written)

    # What was written before the first look is nobody's news; the next look tells what has come since.
    lines = sampled(root, partial(both_wrote, 50_000_000), partial(both_wrote, 450_000_000), seconds=3)
    times = [float(line.split()[1]) for line in lines if line.startswith("slowlink-sample")]
    (disk,) = [line.split() for line in lines if line.endswith("MB/s disk")]
    assert disk[:3] == ["process", "11", "archiver"]
    assert float(disk[3]) * (times[2] - times[1]) == pytest.approx(400, rel=0.05)


SOCKETS = """\
#!/bin/sh
echo "ESTAB 0 0 10.0.0.1:4000 10.0.0.2:5201 users:((\\"mirror\\",pid=11,fd=3))"
echo "	 cubic bytes_sent:$(date +%s%N) bytes_acked:1 bytes_received:17"
echo "ESTAB 0 0 127.0.0.1:4000 127.0.0.1:5201 users:((\\"local\\",pid=12,fd=3))"
echo "	 cubic bytes_sent:$(date +%s%N)"
echo "ESTAB 0 0 10.0.0.1:2049 10.0.0.3:700"
echo "	 cubic bytes_received:$(date +%s%N)"
echo "ESTAB 0 0 10.0.0.1:4001 10.0.0.2:5201 users:((\\"all_reduce_perf\\",pid=10,fd=3))"
echo "	 cubic bytes_sent:$(date +%s%N)"
"""


def test_who_sends_much_is_asked_where_much_is_sent(
    root: Root, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "ss").write_text(SOCKETS)
    (tools / "ss").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    root.process(10, "all_reduce_perf", 0, run="abc")

    def rates(lines: list[str]) -> set[tuple[str, ...]]:
        return {tuple(line.split()[1:3]) for line in lines if line.endswith("MB/s network")}

    assert rates(sampled(root, seconds=3)) == set()  # no traffic: nobody asks
    (root.path / "proc/net").mkdir()
    grows = [partial(root.traffic, number * 10**9) for number in range(4)]
    assert rates(sampled(root, *grows, seconds=4)) == {("11", "mirror"), ("0", "kernel-or-another-user")}


QUEUE_PAIRS = """\
#!/bin/sh
cat <<'EOF'
link mlx5_0/1 lqpn 1 type GSI state RTS sq-psn 0 comm [ib_core]
link mlx5_0/1 lqpn 320 rqpn 41 type RC state RTS rq-psn 0 sq-psn 0 path-mig-state MIGRATED pid 11 comm storage-agent
link mlx5_0/1 lqpn 321 rqpn 42 type RC state RTS rq-psn 0 sq-psn 0 path-mig-state MIGRATED pid 11 comm storage-agent
link mlx5_0/1 lqpn 322 type RC state INIT sq-psn 0 pid 12 comm starting
link mlx5_1/1 lqpn 323 rqpn 43 type RC state RTS rq-psn 0 sq-psn 0 path-mig-state MIGRATED pid 10 comm all_reduce_perf
EOF
"""


def test_who_else_keeps_memory_and_queue_pairs_and_what_waits(
    root: Root, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "rdma").write_text(QUEUE_PAIRS)
    (tools / "rdma").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    page = os.sysconf("SC_PAGE_SIZE")
    (root.path / "proc/meminfo").write_text(f"MemTotal: {1000 * page // 1024} kB\nMemFree: 1 kB\n")
    (root.path / "proc/pressure").mkdir()
    for kind in ("some", "full"):
        with (root.path / "proc/pressure/memory").open("a") as file:
            file.write(f"{kind} avg10=71.22 avg60=66.70 avg300=51.01 total=81201120112\n")
    root.process(10, "all_reduce_perf", 0, run="abc", pages=500)
    root.process(11, "storage-agent", 0, pages=420)
    root.process(13, "small", 0, pages=99)
    lines = sampled(root, seconds=3)
    assert [line for line in lines if line.startswith("process")] == [
        "process 11 storage-agent 2.0 queue pairs on mlx5_0",
        "process 11 storage-agent 42.0 % memory",
    ]
    waits = {line.removeprefix(str(root.path)).partition(" ")[0] for line in lines if "avg10" in line}
    assert waits == {"/proc/pressure/memory:some", "/proc/pressure/memory:full"}


def test_counters_are_read_at_each_sample_until_the_run_works_here(root: Root) -> None:
    root.process(10, "all_reduce_perf", 0, run="abc")
    works = partial(root.process, 10, "all_reduce_perf", 90, "abc")
    lines = sampled(root, nothing, nothing, works, seconds=5)
    read = ["symbol_error" in each for each in "\n".join(lines).split("slowlink-sample")[1:]]
    assert read[:5] == [True, True, True, False, False]


MX_SMI = """\
#!/bin/sh
cat <<'EOF'
| Process:                                                                         |
|  GPU                    PID         Process Name                 GPU Memory      |
|                                                                  Usage(MiB)      |
|==================================================================================|
|  0                       10         all_reduce_perf              900             |
|  1                       11         /opt/diag/burn               1234            |
+----------------------------------------------------------------------------------+
EOF
"""


def test_processes_on_gpus_of_other_makers_are_found(
    root: Root, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "mx-smi").write_text(MX_SMI)
    (tools / "mx-smi").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    root.process(10, "all_reduce_perf", 0, run="abc")
    root.process(12, "stray", 0)
    for pid, held in ((10, 7), (12, 512)):
        place = root.path / f"sys/class/kfd/kfd/proc/{pid}"
        place.mkdir(parents=True)
        (place / "vram_5f21").write_text(f"{held << 20}\n")
    (root.path / "proc/12/comm").write_text("stray\n")
    lines = sampled(root, seconds=1)
    assert {line for line in lines if line.endswith("gpu")} == {
        "process 11 burn 1234.0 MiB gpu",
        "process 12 stray 512.0 MiB gpu",
    }


def test_a_rank_that_is_stopped_sample_after_sample_is_told_until_it_goes_on(root: Root) -> None:
    root.process(10, "all_reduce_perf", 5, run="abc", state="T")
    root.process(11, "debugged", 5, state="T")
    goes_on = partial(root.process, 10, "all_reduce_perf", 6, run="abc")
    lines = sampled(root, nothing, nothing, nothing, nothing, goes_on, seconds=6)
    assert [line for line in lines if line.startswith("rank ")] == [
        "rank - pid 10 all_reduce_perf state T 0.0 % cpu at -",
        "rank - pid 10 all_reduce_perf state T 0.0 % cpu at -",
        "rank - pid 10 all_reduce_perf state S 0.0 % cpu at -",
    ]


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
    text = "\n".join(sampled(root, seconds=1))
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
