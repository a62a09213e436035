from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said
from whole_inputs import checked

from slowlink.inputs import Input
from slowlink.parsers.reading.read import read
from slowlink.workflows.analyze import report_of

FAILED = (
    "node07:4711:4712 [0] NCCL INFO NCCL_IB_HCA set by environment to mlx5_1\n"
    "node07:4711:4712 [0] NCCL INFO NET/IB : Using [0]mlx5_1:1/IB [1]mlx5_10:1/IB [RO]; OOB eth0:10.0.0.1<0>\n"
)

FINE = (
    "node07:4711:4712 [0] NCCL INFO NCCL_IB_HCA set by environment to =mlx5_1,mlx5_10\n"
    "node07:4711:4712 [0] NCCL INFO NET/IB : Using [0]mlx5_1:1/IB [1]mlx5_10:1/IB [RO]; OOB eth0:10.0.0.1<0>\n"
)


def test_names_the_device_that_came_along() -> None:
    assert said("hca-name-prefix-match", FAILED) == snapshot(
        [
            (
                "hca-name-prefix-match",
                "warning",
                "likely",
                "NCCL_IB_HCA=mlx5_1 also takes mlx5_10: without = the names are prefixes",
            )
        ]
    )


def test_silent_on_exact_names() -> None:
    assert findings_of("hca-name-prefix-match", FINE) == ()


def test_it_says_what_to_do() -> None:
    assert remedies_of("hca-name-prefix-match", FAILED) == snapshot(
        [[("Ask for exact names.", "export NCCL_IB_HCA='=mlx5_1'")]]
    )


AT = "node07:4711:4712 [0] NCCL INFO "
VERSION = AT + "NCCL version 2.26.5+cuda12.9\n"
CHANNELS = (
    AT + "Channel 00/0 : 1[0] -> 0[0] [receive] via NET/IB/0/GDRDMA\n",
    AT + "Channel 01/0 : 1[0] -> 0[0] [receive] via NET/IB/1/GDRDMA\n",
)
DEVICES = (
    "#  Rank  0 Group  0 Pid   4711 on     node07 device  0 [0000:3b:00] NVIDIA H100 80GB HBM3\n"
    "#  Rank  1 Group  0 Pid   4712 on     node08 device  0 [0000:3b:00] NVIDIA H100 80GB HBM3\n"
)


def _table(gbs: float) -> str:
    """All-reduce of two ranks on two nodes: algbw is busbw."""
    head = (
        "# nThread 1 nGpus 1 minBytes 1073741824 maxBytes 4294967296 step: 2(factor) warmup iters: 5 iters: 20\n"
        "# Using devices\n"
        + DEVICES
        + "#       size         count      type   redop    root     time   algbw   busbw #wrong"
        "     time   algbw   busbw #wrong\n"
    )
    row = "{0:>12} {1:>13}     float     sum      -1 {2:>8.0f} {3:>7.2f} {3:>7.2f}      0 {2:>8.0f} {3:>7.2f} {3:>7.2f}      0\n"
    rows = "".join(row.format(size, size // 4, size / gbs / 1000, gbs) for size in (1 << 30, 1 << 31, 1 << 32))
    return head + rows + f"# Out of bounds values : 0 OK\n# Avg bus bandwidth    : {gbs:.4f}\n"


def _weights(text: str) -> list[tuple[str, str]]:
    found = checked(text, nics="1x400").findings
    return [(each.severity, each.confidence) for each in found if each.cause == "hca-name-prefix-match"]


def test_channels_over_them_and_a_slow_table_are_an_error() -> None:
    assert _weights(VERSION + FAILED + "".join(CHANNELS) + _table(8.0)) == [("error", "certain")]


def test_a_table_inside_its_band_makes_it_a_note() -> None:
    assert _weights(VERSION + FAILED + "".join(CHANNELS) + _table(47.5)) == [("info", "certain")]


def test_channels_that_leave_them_out_make_it_a_note_and_without_a_table_it_is_a_warning() -> None:
    assert _weights(VERSION + FAILED + CHANNELS[0] + _table(8.0)) == [("info", "likely")]
    assert _weights(VERSION + FAILED + "".join(CHANNELS)) == [("warning", "certain")]
    assert _weights(VERSION + FAILED) == [("warning", "likely")]


def test_a_slow_table_without_channels_leaves_them_under_suspicion() -> None:
    assert _weights(VERSION + FAILED + _table(8.0)) == [("error", "likely")]
    assert _weights(VERSION + FAILED + _table(47.5)) == [("warning", "likely")]


OF_ANOTHER_FABRIC = (
    AT + "NCCL_IB_HCA set by environment to mlx5_1\n",
    AT + "NET/IB : Using [0]mlx5_1:1/IB [1]mlx5_10:1/RoCE [RO]; OOB eth0:10.0.0.1<0>\n",
    "node07:4711:4720 [0] misc/ibvwrap.cc:270 NCCL WARN Call to ibv_modify_qp failed with error Connection timed out "
    "errno 110\n",
)


def test_adapters_of_another_fabric_are_why_connections_fail() -> None:
    """RoCE beside InfiniBand: GIDs and rails are what it looks like, and no trouble of their own."""
    assert said("hca-name-prefix-match", "".join(OF_ANOTHER_FABRIC)) == snapshot(
        [
            (
                "hca-name-prefix-match",
                "critical",
                "likely",
                "NCCL_IB_HCA=mlx5_1 also takes mlx5_10: without = the names are prefixes; they are of another fabric, and connections failed",
            )
        ]
    )
    report = report_of(read([Input("log.txt", None, ["".join(OF_ANOTHER_FABRIC).encode()])]))
    assert (report.verdict, [diagnosis.cause for diagnosis in report.diagnoses]) == snapshot(
        ("broken", ["hca-name-prefix-match"])
    )


def test_without_a_failure_another_fabric_is_a_warning() -> None:
    assert [entry[1] for entry in said("hca-name-prefix-match", "".join(OF_ANOTHER_FABRIC[:2]))] == ["warning"]
