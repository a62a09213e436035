"""Sound parts beside a complaint are not called a healthy job; what was measured, or is wrong, outweighs it."""

from __future__ import annotations

import pytest
from inline_snapshot import snapshot

from slowlink import analyze
from slowlink.model.report import Report

_GPUS = """\
| NVIDIA-SMI 570.86.15              Driver Version: 570.86.15      CUDA Version: 12.8     |
|   0  NVIDIA A100-SXM4-80GB          On  | 00000000:07:00.0 Off |                    {errors} |
| N/A   31C    P0              61W / 400W |      4MiB / 81920MiB |      0%      Default |
"""


def _report(tmp_path, text: str) -> Report:  # type: ignore[no-untyped-def]
    path = tmp_path / "post.txt"
    path.write_text(text)
    return analyze(path)


_SOUND = (
    "1 GPU (NVIDIA A100-SXM4-80GB, driver 570.86.15): no memory errors since the driver was loaded "
    "(repairs were not looked at)"
)


@pytest.mark.parametrize(
    ("said", "headline"),
    [
        ("nvidia-smi of the first node:", f"healthy: {_SOUND}"),
        (
            "Our all_reduce is very slow since the update.",
            "inconclusive: somebody says that something is slow, and nothing that was read proves why; "
            f"what the input shows is right: {_SOUND}",
        ),
        (
            "The training hangs, and then it crashes after ten minutes.",
            "inconclusive: somebody says that something hangs and crashes, and nothing that was read proves why; "
            f"what the input shows is right: {_SOUND}",
        ),
    ],
)
def test_sound_gpus_below_a_complaint(tmp_path, said: str, headline: str) -> None:  # type: ignore[no-untyped-def]
    assert _report(tmp_path, f"{said}\n\n{_GPUS.format(errors=0)}").headline == headline


def test_what_is_wrong_goes_before_the_complaint(tmp_path) -> None:  # type: ignore[no-untyped-def]
    report = _report(tmp_path, f"Our all_reduce is very slow since the update.\n\n{_GPUS.format(errors=3)}")
    assert [d.cause for d in report.diagnoses] == snapshot(["gpu-memory-errors"])


_LINK = """\
                    RDMA_Write BW Test
 Dual-port       : OFF          Device         : mlx5_4
 Mtu             : 4096[B]
 Link type       : IB
 #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]
 65536      5000             394.51             393.97             0.751437
"""
_FAST = "mlx5_4: 394.0 Gb/s, 98% of 400 Gb/s"


@pytest.mark.parametrize(
    ("said", "headline"),
    [
        ("ib_write_bw between the two nodes:", f"healthy: {_FAST}"),
        ("Our network is very slow since the update.", f"healthy: {_FAST}"),
        (
            "Our all_reduce is very slow since the update.",
            "inconclusive: somebody says that something is slow, and nothing that was read proves why; "
            f"what the input shows is right: {_FAST}",
        ),
    ],
)
def test_a_measured_link_answers_for_the_network_alone(tmp_path, said: str, headline: str) -> None:  # type: ignore[no-untyped-def]
    assert _report(tmp_path, f"{said}\n\n{_LINK}").headline == headline


def test_a_measured_link_says_nothing_of_a_part_inside_a_node(tmp_path) -> None:  # type: ignore[no-untyped-def]
    remapped = "NVRM: Xid (PCI:0000:1b:00): 63, pid=77, name=python, Row Remapper: New row marked for remapping."
    report = _report(tmp_path, f"[ 9123.456789] {remapped}\n{_LINK}")
    assert (report.verdict, report.diagnoses[0].cause) == ("inconclusive", "gpu-memory-errors")
