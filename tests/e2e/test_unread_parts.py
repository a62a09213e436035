"""A healthy log beside something that was not read is not healthy; beside what can hold no log, it is."""

from __future__ import annotations

import gzip
import io
import os
import pickle
import random
import socket
import tarfile
import zipfile
import zlib
from pathlib import Path

import pytest
import zstandard

from nvidia_smi_outputs import query, query_gpu
from slowlink.simulate.job import SimulatedJob, job_log
from slowlink.workflows.analyze import analyze

HEALTHY = job_log(SimulatedJob(plateau_gbs=186.0))
BAD = b"[   12.3] NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus.\n"
NOTE = b"\x50\x2a\x4d\x18\4\0\0\0note"
RANDOM = random.Random(3).randbytes(5000)


def zipped(method: int, flags: int = 0) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("bad.log", BAD)
    data = out.getvalue()
    return data[:6] + bytes([flags, 0, method, 0]) + data[10:]


def cut_tar() -> bytes:
    """A second member would follow where it ends."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        member = tarfile.TarInfo("up.log")
        member.size = 3
        archive.addfile(member, io.BytesIO(b"up\n"))
    return out.getvalue()[:1024]


DUMP = pickle.dumps(
    {"version": "2.5", "pg_config": {}, "pg_status": {}, "entries": [{"record_id": 1}] * 50}, protocol=2
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "job.log").write_text(HEALTHY)
    return tmp_path


UNREAD = {
    "junk between frames": ("bad.gz", gzip.compress(b"up\n") + b"junk" + gzip.compress(BAD)),
    "deflate64": ("bad.zip", zipped(9)),
    "encrypted": ("bad.zip", zipped(0, flags=1)),
    "7z": ("bad.7z", b"7z\xbc\xaf\x27\x1c" + RANDOM),
    "rar": ("bad.rar", b"Rar!\x1a\x07\x01\0" + RANDOM),
    "lz4": ("bad.lz4", b"\x04\x22\x4d\x18" + RANDOM),
    "compress": ("bad.Z", b"\x1f\x9d\x90" + RANDOM),
    "encrypted file": ("bad.log.gpg", RANDOM),
    "journal": ("system.journal", b"LPKSHHRH" + RANDOM),
    "hole": ("bad.log", b"up\n" + bytes(5000)),
    "zlib": ("bad.z", zlib.compress(BAD, 1)),
    "armour": ("bad.log.asc", b"-----BEGIN PGP MESSAGE-----\n\nhQEMA1x2Y3Z0\n-----END PGP MESSAGE-----\n"),
    "cut tar": ("bad.tar", cut_tar()),
    "cut dump": ("nccl_trace_rank_0", DUMP[: len(DUMP) // 2]),
    "cut dump of another name": ("trace.pkl", DUMP[: len(DUMP) // 2]),
    "empty dump": ("nccl_trace_rank_0", b""),
    "empty archive": ("logs.tar.gz", b""),
    "empty log": ("gpu07.log", b""),
    "cut json": ("diag.json", b'{"DCGM Diagnostic": {"test_categories": [{"category": "Hardw'),
    "cut xml": ("smi.xml", b"<nvidia_smi_log>\n<attached_gpus>8</attached_gpus>\n"),
    "fewer GPUs than there are": ("smi.txt", query(query_gpu("1A:00.0"), attached=8).encode()),
    "rate limit": ("dmesg.txt", b"[   12.3] net_ratelimit: 48 callbacks suppressed\n"),
    "omitted lines": ("dmesg.txt", b"[   12.3] up\n[... 51234 lines omitted ...]\n[   99.1] up\n"),
    "vault": ("dmesg.txt", b"$ANSIBLE_VAULT;1.1;AES256\n61626364\n"),
    "pointer": ("dmesg.log", b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n"),
}


@pytest.mark.parametrize(("name", "data"), UNREAD.values(), ids=UNREAD.keys())
def test_nothing_is_healthy_beside_what_was_not_read(folder: Path, name: str, data: bytes) -> None:
    (folder / name).write_bytes(data)
    report = analyze(folder)
    problems = [item.problem for item in report.inputs if item.problem]
    assert (report.verdict, len(problems)) == ("inconclusive", 1)
    assert problems[0] in report.headline


READ = {
    "a note of zstd first": ("bad.zst", NOTE + zstandard.ZstdCompressor().compress(BAD)),
    "zeros between frames": ("bad.gz", gzip.compress(b"up\n") + bytes(512) + gzip.compress(BAD)),
    "a hole first": ("bad.log", bytes(100_000) + BAD),
}


@pytest.mark.parametrize(("name", "data"), READ.values(), ids=READ.keys())
def test_what_can_be_read_is(folder: Path, name: str, data: bytes) -> None:
    (folder / name).write_bytes(data)
    report = analyze(folder)
    assert (report.verdict, report.diagnoses[0].cause) == ("broken", "gpu-missing")


def test_what_holds_no_log_is_named_and_leaves_the_verdict(folder: Path) -> None:
    (folder / "plot.png").write_bytes(b"\x89PNG\r\n\x1a\n" + RANDOM)
    (folder / "weights.bin").write_bytes(RANDOM)
    (folder / "epoch3.pkl").write_bytes(pickle.dumps({"layer.0.weight": [0.5] * 50}, protocol=2)[:200])
    (folder / "link").symlink_to("elsewhere")
    os.mkfifo(folder / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(os.path.relpath(folder / "socket"))
        report = analyze(folder)
    assert report.verdict == "healthy"
    assert {Path(item.path).name: item.problem for item in report.inputs if item.problem} == {
        "plot.png": "an image (PNG), not a log",
        "weights.bin": "binary data, not a log",
        "epoch3.pkl": "damaged: the pickle ends early",
        "link": "a symbolic link, not read",
        "pipe": "a named pipe, not read",
        "socket": "a socket, not read",
    }
