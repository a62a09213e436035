from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

HEAD = "| NVIDIA-SMI 550.99.01             Driver Version: 550.99.01      CUDA Version: 12.4     |\n"
FIRST = "|   3  NVIDIA H100 80GB HBM3          On  |   00000000:5D:00.0 Off |                  ERR! |\n"
LOST = "|ERR!  ERR! ERR!           ERR! /  700W   |       4MiB /  81559MiB |    ERR!      Default |\n"
FAN = "|ERR!   34C    P0            71W /  700W   |       4MiB /  81559MiB |      0%      Default |\n"


def test_a_gpu_that_answers_nothing() -> None:
    assert said("gpu-sensors-unreadable", HEAD + FIRST + LOST) == snapshot(
        [
            (
                "gpu-driver-hung",
                "error",
                "likely",
                "GPU 3: most sensors read as error (ERR!): the GPU does not answer its driver, or is lost",
            )
        ]
    )


def test_a_broken_fan_sensor_is_no_lost_gpu_and_no_health() -> None:
    assert said("gpu-sensors-unreadable", HEAD + FIRST + FAN) == snapshot(
        [
            (
                "gpu-hardware-fault",
                "warning",
                "possible",
                "GPU 3: no value of fan (ERR!): the sensor, or what it watches, failed",
            )
        ]
    )
    assert findings_of("gpu-sensors-unreadable", HEAD + FIRST + FAN.replace("ERR!", " N/A")) == ()


def test_it_says_what_to_do() -> None:
    assert remedies_of("gpu-sensors-unreadable", HEAD + FIRST + LOST) == snapshot(
        [
            [
                ("See which error it was.", "dmesg -T | grep -e Xid -e NVRM"),
                ("Drain the node and reboot it with power off in between.", ""),
            ]
        ]
    )


def test_words_in_place_of_the_memory() -> None:
    for words, slash in (("Unknown Error", " /"), ("GPU is lost  ", " / "), ("ERR! / ERR!  ", "  / ")):
        text = (
            "| NVIDIA-SMI 570.133.20             Driver Version: 570.133.20     CUDA Version: 12.8     |\n"
            "|   1  NVIDIA H100 80GB HBM3          On  |   00000000:43:00.0 Off |                  ERR! |\n"
            f"|ERR!  ERR! ERR!            N/A{slash}  N/A    |        {words}   |    ERR!         ERR! |\n"
        )
        assert [found.suspects[0].name for found in findings_of("gpu-sensors-unreadable", text)] == ["GPU 1"]


ROCM = (
    "==================================== Concise Info ====================================\n"
    "Device  Temp        Power     Partitions          SCLK    MCLK    Fan  Perf  PwrCap  VRAM%  GPU%\n"
    "        (Junction)  (Socket)  (Mem, Compute, ID)\n"
)


def rocm_row(gpu: int, heat: str = "48.0°C", cut: str = "SPX") -> str:
    return f"{gpu}       {heat:<10}  161.0W    NPS1, {cut}, 0        130Mhz  900Mhz  0%   auto  750.0W  0%     0%\n"


def test_one_gpu_without_a_temperature_among_others() -> None:
    rows = [rocm_row(0), rocm_row(1), rocm_row(2, "N/A"), rocm_row(3)]
    assert said("gpu-sensors-unreadable", ROCM + "".join(rows)) == snapshot(
        [
            (
                "gpu-hardware-fault",
                "warning",
                "possible",
                "GPU 2: no temperature, where all other GPUs of its node have one: it may not answer",
            )
        ]
    )
    for sound in (rows[:3], [rocm_row(n) for n in range(4)], [rocm_row(n, "N/A") for n in range(4)]):
        assert findings_of("gpu-sensors-unreadable", ROCM + "".join(sound)) == ()


def test_one_gpu_that_is_cut_otherwise() -> None:
    text = ROCM + rocm_row(0) + rocm_row(1) + rocm_row(2, cut="CPX") + rocm_row(3)
    assert said("gpu-settings", text) == snapshot(
        [
            (
                "node-differs",
                "warning",
                "certain",
                "GPU 2: partition other than that of all other GPUs of its node (partition of memory and compute units of gpu 2: CPX)",
            )
        ]
    )


def test_a_gpu_without_what_its_peers_have() -> None:
    rows = "".join(f"{n}, {10 + n} %, {'[N/A]' if n == 2 else '71.00 W'}\n" for n in range(4))
    text = "index, utilization.gpu [%], power.draw [W]\n" + rows
    assert said("gpu-sensors-unreadable", text) == snapshot(
        [
            (
                "gpu-hardware-fault",
                "warning",
                "possible",
                "GPU 2: no power, where all other GPUs of its node have one: it may not answer",
            )
        ]
    )
    assert findings_of("gpu-sensors-unreadable", text.replace("71.00 W", "[N/A]")) == ()


def test_a_sensor_that_nvml_got_no_answer_from() -> None:
    text = (
        "==============NVSMI LOG==============\nGPU 00000000:1B:00.0\n    GPU Power Readings\n"
        "        Power Draw                        : Unknown Error\n"
    )
    assert said("gpu-sensors-unreadable", text) == snapshot(
        [
            (
                "gpu-hardware-fault",
                "warning",
                "possible",
                "GPU 0000:1b:00.0: no value of power (ERR!): the sensor, or what it watches, failed",
            )
        ]
    )
