"""Only settings of communication libraries are taken from a job, and nothing that belongs to one of its ranks."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from slowlink.errors import SlowlinkError
from slowlink.workflows.job_environment import carried, parse_assignments, settings_of

JOB = {
    "NCCL_IB_HCA": "mlx5_0,mlx5_1",
    "UCX_TLS": "rc",
    "OMPI_MCA_btl": "^openib",
    "OMPI_MCA_ess_base_vpid": "3",
    "CUDA_VISIBLE_DEVICES": "3",
    "NCCL_DEBUG_FILE": "/home/me/log.%h",
    "AWS_SECRET_ACCESS_KEY": "geheim",
    "PATH": "/bin",
    "MY_NCCL_IB_HCA": "x",
}
TAKEN = {"NCCL_IB_HCA": "mlx5_0,mlx5_1", "OMPI_MCA_btl": "^openib", "UCX_TLS": "rc"}


def test_what_is_carried() -> None:
    assert carried(JOB) == TAKEN


def test_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "job.env"
    file.write_text("# settings\n" + "".join(f"export {name}='{value}'\n" for name, value in JOB.items()) + "junk\n")
    assert settings_of(str(file)) == TAKEN


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc (Linux)")
def test_from_a_process() -> None:
    pid = os.posix_spawn("/bin/sleep", ["sleep", "1000"], JOB)
    try:
        end = time.monotonic() + 60
        # For a moment after its start the kernel shows no environment yet.
        while not Path(f"/proc/{pid}/environ").read_bytes() and time.monotonic() < end:
            time.sleep(0.01)
        assert settings_of(str(pid)) == TAKEN
    finally:
        os.kill(pid, 9)
        os.waitpid(pid, 0)


@pytest.mark.parametrize(
    ("source", "words"),
    [("no-such-file", "no such file, and no number"), ("999999999", "there is no process 999999999 here")],
)
def test_sources_that_are_not_there(source: str, words: str) -> None:
    with pytest.raises(SlowlinkError, match=words):
        settings_of(source)


def test_file_without_settings(tmp_path: Path) -> None:
    file = tmp_path / "job.env"
    file.write_text("HOME=/root\n")
    with pytest.raises(SlowlinkError, match="has no setting"):
        settings_of(str(file))


def test_assignments() -> None:
    assert parse_assignments(["A=1", "B=x=y", "C="]) == {"A": "1", "B": "x=y", "C": ""}
    for wrong in ("A", "=1", "1A=2", "A B=1", "A=\0"):
        with pytest.raises(SlowlinkError, match=r"no NAME=VALUE"):
            parse_assignments([wrong])
