"""Hot GPUs: at a limit that is printed, and without one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from text_findings import findings_of, said

from slowlink.workflows.analyze import analyze

RULE = "gpu-clocks-throttled"
HEAD = "| NVIDIA-SMI 550.99.01             Driver Version: 550.99.01      CUDA Version: 12.4     |\n"


def row(celsius: int, gpu: int = 0) -> str:
    return (
        f"|   {gpu}  NVIDIA H100 80GB HBM3          On  |   00000000:{0x5D + gpu:X}:00.0 Off |                    0 |\n"
        f"| N/A   {celsius}C    P0            91W /  700W   |       4MiB /  81559MiB |    100%      Default |\n"
    )


def query(celsius: int) -> str:
    return (
        "==============NVSMI LOG==============\n\nDriver Version                            : 550.99.01\n\n"
        "GPU 00000000:5D:00.0\n    Temperature\n"
        f"        GPU Current Temp                  : {celsius} C\n"
        "        GPU Shutdown Temp                 : 99 C\n        GPU Slowdown Temp                 : 96 C\n"
    )


def test_a_table_without_limits() -> None:
    assert said(RULE, HEAD + row(66) + row(93, 1) + row(91, 2)) == snapshot(
        [
            (
                "gpu-clocks-throttled",
                "warning",
                "possible",
                "GPU 1 and GPU 2: 93 C, where GPUs slow down or are near to it; its own limit is not known",
            )
        ]
    )
    assert findings_of(RULE, HEAD + row(89)) == ()


@given(st.integers(20, 99))
def test_a_limit_that_is_printed_decides_alone(celsius: int) -> None:
    assert bool(findings_of(RULE, query(celsius))) == (celsius >= 96)


def test_what_is_said_at_its_own_limit() -> None:
    assert said(RULE, query(97)) == snapshot(
        [
            (
                "gpu-clocks-throttled",
                "warning",
                "possible",
                "GPU 0000:5d:00.0: 97 C, at the temperature where it slows down",
            )
        ]
    )


def test_the_hottest_spot_of_an_amd_gpu_may_be_hotter() -> None:
    text = (
        "============================ ROCm System Management Interface ============================\n"
        "GPU[0]\t\t: Temperature (Sensor junction) (C): {}\n"
    )
    assert findings_of(RULE, text.format("94.0")) == ()
    assert said(RULE, text.format("107.0")) == snapshot(
        [
            (
                "gpu-clocks-throttled",
                "warning",
                "possible",
                "GPU 0: 107 C, where GPUs slow down or are near to it; its own limit is not known",
            )
        ]
    )


def test_whole_links_are_no_health_of_a_hot_gpu() -> None:
    metrics = "".join(
        f'DCGM_FI_DEV_{name}{{gpu="1",Hostname="gpu07"}} {value}\n'
        for name, value in {"PCIE_LINK_WIDTH": 16, "PCIE_LINK_GEN": 5, "GPU_UTIL": 100}.items()
    )
    heat = 'DCGM_FI_DEV_GPU_TEMP{{gpu="1",Hostname="gpu07"}} {}\n'
    verdicts = [analyze((metrics + heat.format(celsius)).encode(), workers=1).verdict for celsius in (55, 93)]
    assert verdicts == ["healthy", "inconclusive"]
