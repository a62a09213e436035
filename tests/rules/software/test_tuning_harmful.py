from __future__ import annotations

from inline_snapshot import snapshot
from job_findings import check
from text_findings import findings_of, remedies_of, said

FAILED = (
    "node07:4711:4712 [0] NCCL INFO NCCL_PROTO set by environment to LL\n"
    "node07:4711:4712 [0] NCCL INFO NCCL_P2P_DISABLE set by environment to 1.\n"
)

FINE = (
    "node07:4711:4712 [0] NCCL INFO NCCL_ALGO set by environment to Ring\n"
    "node07:4711:4712 [0] NCCL INFO NCCL_DEBUG set by environment to INFO\n"
    "node07:4711:4712 [0] NCCL INFO NCCL_P2P_DISABLE set by environment to 0.\n"
)


def test_lists_the_settings() -> None:
    assert said("tuning-harmful", FAILED) == snapshot(
        [
            (
                "tuning-harmful",
                "warning",
                "likely",
                "NCCL_PROTO=LL forces the protocol for all sizes and NCCL_P2P_DISABLE=1 turns "
                "peer-to-peer between GPUs off",
            )
        ]
    )


def test_what_surely_costs_bandwidth_explains_the_benchmark() -> None:
    for name, value, costs in (
        ("NCCL_PROTO", "LL", True),
        ("NCCL_PROTO", "Simple", False),
        ("NCCL_MAX_NCHANNELS", "2", True),
        ("NCCL_MAX_NCHANNELS", "16", False),
        ("NCCL_BUFFSIZE", "262144", True),
        ("NCCL_BUFFSIZE", "8388608", False),
    ):
        text = f"node07:4711:4712 [0] NCCL INFO {name} set by environment to {value}\n"
        (found,) = findings_of("tuning-harmful", text)
        assert (found.confidence == "likely", "busbw-below-expected" in found.explains) == (costs, costs), (name, value)


def test_silent_on_harmless_settings() -> None:
    assert findings_of("tuning-harmful", FINE) == ()


def test_nothing_left_to_choose_from() -> None:
    text = FAILED + "node07:4711:4712 [0] NCCL WARN Error : no algorithm/protocol available\n"
    assert said("tuning-harmful", text) == snapshot(
        [
            (
                "tuning-harmful",
                "critical",
                "likely",
                "node07: no algorithm and protocol is left to choose from with NCCL_PROTO set",
            )
        ]
    )


def test_it_says_what_to_do() -> None:
    assert remedies_of("tuning-harmful", FAILED) == snapshot(
        [[("Measure with and without.", "unset NCCL_PROTO NCCL_P2P_DISABLE")]]
    )


def test_silent_on_what_a_plug_in_or_the_platform_sets() -> None:
    at = "node07:4711:4712 [0] NCCL INFO "
    own = (
        at
        + "NET/OFI Adding NCCL_BUFFSIZE=8388608 to environment\n"
        + at
        + "NCCL_BUFFSIZE set by environment to 8388608.\n"
    )
    old = (
        at
        + "NET/OFI Disabling NVLS support due to NCCL version 21703\n"
        + at
        + "NCCL_NVLS_ENABLE set by environment to 0.\n"
    )
    platform = at + "Using network AWS Libfabric\n" + at + "NCCL_BUFFSIZE set by environment to 8388608.\n"
    google = at + "NCCL_FASTRAK_NUM_FLOWS set to 2\n" + at + "NCCL_PROTO set by environment to Simple\n"
    for text in (own, old, platform, google):
        assert findings_of("tuning-harmful", text) == ()
    small = platform.replace("8388608", "65536")
    assert len(findings_of("tuning-harmful", small)) == 1


def test_an_empty_value_sets_nothing() -> None:
    env = "$ env\nNCCL_ALGO={}\nNCCL_DEBUG=WARN\nSLURM_JOB_ID=4711\n"
    assert said("tuning-harmful", env.format("")) == []
    assert len(said("tuning-harmful", env.format("Tree"))) == 1


def _one_node(setting: str, gpu: str = "NVIDIA H200", gbs: float = 369.0) -> str:
    ranks = "".join(
        f"#  Rank  {n} Group  0 Pid   6712 on       c1n8 device  {n} [0000:{n + 16:x}:00] {gpu}\n" for n in range(8)
    )
    side = f"{(8 << 30) / gbs * 1.75 / 1e3:.1f}  {gbs / 1.75:.2f}  {gbs:.2f}       0"
    row = f"  8589934592    2147483648     float     sum      -1  {side}  {side}\n"
    heading = "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n"
    said = f"c1n8:6712:6801 [0] NCCL INFO NCCL_NVLS_ENABLE set by environment to {setting}.\n"
    return f"# Collective test starting: all_reduce_perf\n# Using devices\n{ranks}{said}{heading}{row}"


def test_nvlink_sharp_that_is_turned_off_costs_what_it_would_add() -> None:
    (found,) = check("tuning-harmful", _one_node("0")).findings
    assert (found.severity, found.confidence, found.message) == snapshot(
        (
            "error",
            "likely",
            "NCCL_NVLS_ENABLE=0 turns NVLink SHARP off; all_reduce with 8 ranks on 1 node reaches 369.0 GB/s, and with it 480 are usual",
        )
    )
    for log in (_one_node("0", gbs=474.0), _one_node("0", gpu="NVIDIA A100-SXM4-80GB", gbs=230.0)):
        assert [each.severity for each in check("tuning-harmful", log).findings] == ["warning"]
    assert check("tuning-harmful", _one_node("1")).findings == ()
