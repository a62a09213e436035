"""How fast whole heaps of every kind are analyzed, beside ``wc -l`` and ripgrep on the same bytes in the same run.

    python bench/inputs.py [SCALE] [KIND ...]        SCALE 1: up to 100 MB a kind

Each row is one command, ``slowlink analyze -q``, start-up included: processor and wall seconds on one core, wall
seconds on two and on all, and the most memory that one of its processes held. All rows of a run are kept in
``bench/results/``, under the commit.
"""

from __future__ import annotations

import json
import os
import platform
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timezone
from itertools import cycle, repeat
from pathlib import Path
from string import ascii_lowercase

import everyday
from fleet import write as write_snapshot
from msgspec import Struct
from nccl_log import _channels, _init, peers
from scan import make_log
from shapes import iterations, megatron, progress, records
from text import prose

from slowlink.simulate.node_state.description import SimulatedNode
from slowlink.simulate.node_state.kernel_files import kernel_files
from slowlink.simulate.node_state.nvidia_smi_output import query

RESULTS = Path(__file__).parent / "results"
SEED = 7


class Took(Struct, frozen=True):
    """One command."""

    wall: float
    cpu: float
    """User and system time of the process and its children: what a loaded machine does not change much."""
    memory_mib: float


def errors() -> Iterator[str]:
    """A program that says ever new things went wrong."""
    random_ = random.Random(SEED)
    words = ["".join(random_.choices(ascii_lowercase, k=random_.randint(3, 10))) for _ in range(20_000)]
    for number in cycle(range(86_400)):
        stamp = f"{number // 3600:02d}:{number // 60 % 60:02d}:{number % 60:02d}"
        yield f"2026-11-01 {stamp} node{number % 32:02d} ERROR [{random_.choice(words)}] " + (
            " ".join(random_.choices(words, k=10)) + "\n"
        )


def collected(lines: Iterable[str]) -> Iterator[str]:
    """Each line in a record of its own, as a container runtime keeps it."""
    for number, line in enumerate(lines):
        stamp = f"2026-11-01T10:{number // 60_000 % 60:02d}:{number // 1000 % 60:02d}.{number % 1000:03d}Z"
        yield json.dumps({"log": line, "stream": "stdout", "time": stamp}) + "\n"


def searched(lines: Iterable[str]) -> Iterator[str]:
    """Lines as ``grep -n`` finds them in several files."""
    return (f"job-{number % 4}.out:{number}:{line}" for number, line in enumerate(lines, 1))


def node(number: int) -> str:
    """What one node answers: its GPUs' whole state and the kernel's files."""
    described = SimulatedNode(f"gpu{number:05d}", number=number, gpus=8, numa_balancing=number % 50 == 7)
    files = "".join(f"/{path}:{line}\n" for path, text in kernel_files(described).items() for line in text.splitlines())
    return f"==> {described.name} <==\n$ nvidia-smi -q\n{query(described)}\n$ grep -r . /sys /proc\n{files}"


def _text(size: int, lines: Iterable[str]) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        left = size
        with (folder / "job.log").open("w") as file:
            for line in lines:
                left -= file.write(line)
                if left <= 0:
                    return

    return write


def _bytes(size: int, start: bytes = b"") -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        (folder / "model.bin").write_bytes(start + random.Random(SEED).randbytes(size))

    return write


def _repeated(size: int) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        with (folder / "job.log").open("wb") as file:
            file.writelines(make_log(size))

    return write


def _nodes(count: int) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        for number in range(count):
            (folder / f"gpu{number:05d}.txt").write_text(node(number))

    return write


def _snapshot(count: int) -> Callable[[Path], None]:
    """What the collectors get from so many nodes, as a bundle: most of each node's answers are its own in some line."""

    def write(folder: Path) -> None:
        write_snapshot(folder / "snapshot", count)

    return write


def _ranks(count: int) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        lines = _channels(count // 8, 8, 16)
        each = len(lines) // count
        for number in range(count):
            text = "\n".join(lines[number * each : (number + 1) * each])
            (folder / f"nccl.{number}.log").write_text(text + "\n")

    return write


def channels_of(hosts: int) -> Iterator[str]:
    """The channels of all ranks of so many hosts, each line another one."""
    return (f"{line}\n" for line in _channels(hosts, 8, 16))


def kinds(scale: float) -> dict[str, Callable[[Path], None]]:
    """Name -> what writes the heap into a folder."""
    megabyte = int(1_000_000 * scale)
    channels = channels_of(2048)
    records_of, found = collected(channels_of(256)), searched(channels_of(256))
    many = (f"{line}\n" for line in peers(2048, 8, 16, 10))
    begin = (f"{line}\n" for line in _init(2048, 8))
    return {
        "NCCL log that repeats itself": _repeated(100 * megabyte),
        "NCCL channels, all distinct": _text(25 * megabyte, channels),
        "NCCL channels in JSON records": _text(10 * megabyte, records_of),
        "NCCL channels found by grep -n": _text(10 * megabyte, found),
        "NCCL channels to 20 peers": _text(100 * megabyte, many),
        "NCCL starts of all ranks": _text(75 * megabyte, begin),
        "files of 2,000 ranks": _ranks(int(2000 * scale) // 8 * 8 or 8),
        "answers of 500 nodes": _nodes(int(500 * scale) or 1),
        "snapshot of 1,000 nodes": _snapshot(int(1000 * scale) or 1),
        "training loop, known": _text(20 * megabyte, megatron()),
        "training loop, own words": _text(10 * megabyte, iterations()),
        "training loop, Megatron-LM's own lines": _text(10 * megabyte, everyday.lines(everyday.megatron)),
        "access log of a server": _text(5 * megabyte, everyday.lines(everyday.access_log)),
        "debug lines of data loaders": _text(10 * megabyte, everyday.lines(everyday.data_loader)),
        "progress bars": _text(5 * megabyte, progress()),
        "JSON records": _text(10 * megabyte, records()),
        "text of ever new words": _text(10 * megabyte, prose()),
        "one error, again and again": _text(20 * megabyte, repeat("ERROR: no route to the mill: it stands still\n")),
        "errors, all distinct": _text(5 * megabyte, errors()),
        "random bytes": _bytes(100 * megabyte),
        "weights (safetensors)": _bytes(100 * megabyte, b"\x40\0\0\0\0\0\0\0" + b'{"a":{"dtype":"F32"}}'.ljust(64)),
    }


_MEASURE = """
import os, subprocess, sys, time
start = time.perf_counter()
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
used = os.wait4(process.pid, 0)[2]
print(time.perf_counter() - start, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
"""
"""A small process starts the command: the kernel counts what the starting one holds as the command's memory."""


def run(command: list[str], cores: int | None = None) -> Took:
    """One command to its end."""
    pin = ["taskset", "-c", f"0-{cores - 1}"] if cores is not None and shutil.which("taskset") else []
    done = subprocess.run([sys.executable, "-c", _MEASURE, *pin, *command], capture_output=True, text=True, check=True)
    return Took(*map(float, done.stdout.split()))


def row(name: str, folder: Path) -> str:
    """One line of the table, tab-separated."""
    files = [str(path) for path in sorted(folder.rglob("*")) if path.is_file()]
    megabytes = sum(Path(path).stat().st_size for path in files) / 1e6
    command = [sys.executable, "-m", "slowlink", "analyze", "-q", str(folder)]
    run(["cat", *files])
    one, two = run(command, cores=1), run(command, cores=2)
    all_ = run(command) if (os.cpu_count() or 1) > 2 else two
    counted = run(["wc", "-l", *files])
    searched = run(["rg", "-c", r"via NET/\S+", str(folder)]) if shutil.which("rg") else None
    cells = (
        name,
        f"{megabytes:.1f}",
        f"{one.cpu:.2f}",
        f"{megabytes / one.cpu:.1f}",
        f"{one.wall:.2f}",
        f"{two.wall:.2f}",
        f"{all_.wall:.2f}",
        f"{max(one.memory_mib, all_.memory_mib):.0f}",
        f"{one.wall / counted.wall:.0f}",
        f"{one.wall / searched.wall:.0f}" if searched else "-",
    )
    return "\t".join(cells)


HEADING = "\t".join(
    (
        "kind",
        "MB",
        "cpu s, 1 core",
        "MB/s",
        "wall s, 1 core",
        "wall s, 2 cores",
        f"wall s, all {os.cpu_count()}",
        "MiB",
        "x wc -l",
        "x ripgrep",
    )
)


def main() -> None:
    """Print a row a kind, and keep them all."""
    arguments = sys.argv[1:]
    scale = float(arguments[0]) if arguments and arguments[0].replace(".", "").isdigit() else 1.0
    wanted = [word for word in arguments if not word.replace(".", "").isdigit()]
    rows = [HEADING]
    for name, write in kinds(scale).items():
        if wanted and not any(word in name for word in wanted):
            continue
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder))
            rows.append(row(name, Path(folder)))
        for line in rows[0 if len(rows) == 2 else -1 :]:
            print(_aligned(line), flush=True)
    _keep(rows)


def _aligned(line: str) -> str:
    first, *others = line.split("\t")
    return f"{first:<30}" + "".join(f"{cell:>16}" for cell in others)


def _keep(rows: list[str]) -> None:
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=False
    ).stdout.strip()
    day = datetime.now(tz=timezone.utc).date().isoformat()
    RESULTS.mkdir(exist_ok=True)
    machine = f"{os.cpu_count()} cores ({platform.machine()}), Python {platform.python_version()}"
    table = [f"# {day}, commit {commit}, {machine}", *rows]
    (RESULTS / f"{day}-{commit}.tsv").write_text("\n".join(table) + "\n")


if __name__ == "__main__":
    main()
