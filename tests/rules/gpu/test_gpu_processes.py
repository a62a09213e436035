from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from state_proofs import on_nodes, proofs_of
from text_findings import findings_of, remedies_of, said

from nvidia_smi_outputs import PMON

IDLE = "index, utilization.gpu [%]\n0, 0\n1, 0\n"
TABLE = (
    "# out-of-place in-place\n#       size         count      type   redop    root     time   algbw   busbw #wrong\n"
    "  8589934592    2147483648     float     sum      -1    38000   226.1   423.8      0    38000   226.1   423.8      0\n"
)


def pmon(pid: int, sm: str, command: str, fb: str = "512") -> str:
    return f"# gpu     pid  type    sm   mem   enc   dec    fb   command\n    0  {pid}     C    {sm}     -     -     -   {fb}   {command}\n"


def test_a_stress_test_at_work() -> None:
    assert said("gpu-processes", PMON) == snapshot(
        [("gpu-busy", "error", "likely", "a stress test of the GPUs is at work: gpu_burn (pid 4711, 99 % of a GPU)")]
    )


@pytest.mark.parametrize("share", ["97", "5", "-"])
def test_a_stress_test_is_an_error_at_any_utilisation(share: str) -> None:
    work = pmon(4711, share, "nvvs")
    ((cause, severity, confidence, _),) = said("gpu-processes", on_nodes(node01=work, node02=work, node03=work))
    assert (cause, severity, confidence) == ("gpu-busy", "error", "likely")


def test_a_benchmark_beside_other_work_is_an_error_and_alone_it_is_the_job() -> None:
    mine, other = pmon(4711, "50", "nvbandwidth"), pmon(4712, "40", "python3")
    assert said("gpu-processes", mine + other) == snapshot(
        [
            (
                "gpu-busy",
                "error",
                "likely",
                "a benchmark runs on the GPUs beside other work: nvbandwidth (pid 4711, 50 % of a GPU)",
            )
        ]
    )
    assert findings_of("gpu-processes", mine) == ()
    assert findings_of("gpu-processes", other) == ()


def test_the_benchmark_that_was_measured_is_the_job_and_another_suite_is_not() -> None:
    assert findings_of("gpu-processes", TABLE + pmon(4711, "95", "all_reduce_perf")) == ()
    ((_, severity, _, message),) = said("gpu-processes", TABLE + pmon(4711, "95", "xhpl"))
    assert (severity, message) == snapshot(
        ("error", "a benchmark runs on the GPUs beside other work: xhpl (pid 4711, 95 % of a GPU)")
    )


def test_work_on_one_of_many_nodes() -> None:
    text = on_nodes(node01=IDLE, node02=pmon(4711, "93", "miner"), node03=IDLE, node04=IDLE)
    assert said("gpu-processes", text) == snapshot(
        [
            (
                "gpu-busy",
                "error",
                "likely",
                "node02: the GPUs are at work while those of the other nodes idle: miner (pid 4711, 93 % of a GPU)",
            )
        ]
    )


def test_work_on_all_nodes_may_be_the_job() -> None:
    work = pmon(4711, "93", "python")
    assert findings_of("gpu-processes", on_nodes(node01=work, node02=work, node03=work)) == ()


def test_memory_that_is_held_is_told() -> None:
    assert said("gpu-processes", pmon(4711, "-", "python", fb="20000")) == snapshot(
        [("gpu-busy", "info", "possible", "GPU memory is held: python (pid 4711)")]
    )
    assert findings_of("gpu-processes", pmon(4711, "-", "python", fb="200")) == ()


def test_memory_that_a_stranger_holds_beside_a_measurement_is_a_warning() -> None:
    held = pmon(4711, "-", "python", "40960")
    assert said("gpu-processes", TABLE + held) == snapshot(
        [("gpu-busy", "warning", "possible", "GPU memory is held: python (pid 4711)")]
    )
    assert said("gpu-processes", TABLE + pmon(4711, "-", "all_reduce_perf", "40960")) == snapshot(
        [("gpu-busy", "info", "possible", "GPU memory is held: all_reduce_perf (pid 4711)")]
    )


def test_one_process_on_each_gpu_is_the_job() -> None:
    head = "# gpu     pid  type    sm   mem   enc   dec    fb   command\n"
    job = "".join(f"    {gpu}  47{gpu}0     C    98     40     -     -   70000   python3\n" for gpu in range(3))
    assert findings_of("gpu-processes", head + job) == ()
    use = "index, utilization.gpu [%]\n" + "".join(f"{gpu}, 98\n" for gpu in range(3))
    assert findings_of("gpu-processes", "$ nvidia-smi\n" + use + head + job) == ()
    assert len(findings_of("gpu-processes", "$ nvidia-smi\n" + use + "3, 0\n" + head + job)) == 1
    one = "index, utilization.gpu [%]\n0, 98\n" + pmon(4711, "98", "python3", "30000")
    assert findings_of("gpu-processes", one) == (), "on the only GPU"
    assert len(findings_of("gpu-processes", TABLE + one)) == 1, "and something else was measured"
    other = "    2  9001     C    3     1     -     -   9000   evaluate\n"
    assert len(findings_of("gpu-processes", head + job + other)) == 1


def test_memory_that_is_held_is_not_called_work() -> None:
    (held,) = findings_of("gpu-processes", pmon(4711, "-", "python", "40960"))
    (stress,) = findings_of("gpu-processes", PMON)
    assert [held.title, stress.title] == [
        "A process holds memory of the GPUs",
        "Another process works on the GPUs while collectives run",
    ]


def test_displays_and_monitors_are_nobody() -> None:
    assert findings_of("gpu-processes", pmon(4711, "50", "Xorg", fb="20000")) == ()


def test_idle() -> None:
    assert proofs_of("gpu-processes", IDLE) == snapshot([("2 GPUs: idle when looked at", 0)])


def test_busy_gpus_are_not_called_idle() -> None:
    assert proofs_of("gpu-processes", "index, utilization.gpu [%]\n0, 0\n1, 100\n") == []


def test_it_says_what_to_do() -> None:
    assert remedies_of("gpu-processes", PMON) == snapshot(
        [
            [
                ("See whose it is, and whether it works.", "nvidia-smi pmon -c 5; ps -o user,etime,comm -p PID"),
                ("End it, or keep jobs off the node until it is done; then measure again.", ""),
            ]
        ]
    )


HEAD = "# gpu     pid  type    sm   mem   enc   dec    fb   command\n"


def row(gpu: int, pid: int, command: str, fb: int = 20000, sm: str = "-") -> str:
    return f"    {gpu}  {pid}     C    {sm}     -     -     -   {fb}   {command}\n"


def messages(text: str) -> list[tuple[str, str]]:
    return [(severity, message) for _, severity, _, message in said("gpu-processes", text)]


def test_two_processes_that_share_a_gpu() -> None:
    mixed = HEAD + row(0, 4711, "python") + row(0, 4712, "train") + row(1, 4713, "train")
    assert messages(on_nodes(node01=mixed)) == snapshot(
        [("warning", "node01: several processes share GPU 0: python (pid 4711) and train (pid 4712)")]
    )


def test_two_programs_at_work_on_one_gpu_take_turns() -> None:
    assert messages(HEAD + row(0, 4711, "python", sm="48") + row(0, 4712, "train", sm="51")) == snapshot(
        [
            (
                "error",
                "several processes share GPU 0: python (pid 4711, 48 % of a GPU) and train (pid 4712, 51 % of a GPU)",
            )
        ]
    )
    assert messages(HEAD + row(0, 4711, "python", sm="97") + row(0, 4712, "train", sm="2"))[0][0] == "warning"


def test_a_benchmark_that_shares_a_gpu_and_one_on_another_gpu() -> None:
    python = row(0, 4711, "python")
    assert messages(HEAD + python + row(0, 4712, "nvbandwidth") + row(1, 4713, "nvbandwidth")) == snapshot(
        [("error", "a benchmark shares GPU 0 with other work: python (pid 4711) and nvbandwidth (pid 4712)")]
    )
    assert messages(HEAD + python + row(1, 4713, "nvbandwidth")) == snapshot(
        [("error", "a benchmark runs beside work on other GPUs of its node: nvbandwidth (pid 4713)")]
    )


def test_a_job_may_share_each_of_its_gpus_with_itself_or_behind_mps() -> None:
    twice = HEAD + "".join(row(gpu, 4700 + 10 * gpu + n, "python") for gpu in range(2) for n in range(2))
    assert [severity for severity, _ in messages(twice)] == ["info"]
    mps = HEAD + row(0, 4699, "nvidia-cuda-mps-server", 30) + row(0, 4700, "python") + row(0, 4701, "train")
    assert [severity for severity, _ in messages(mps)] == ["info"]
    helper = HEAD + row(0, 4700, "python") + row(1, 4701, "python") + row(0, 4701, "python", 500)
    assert "warning" not in {severity for severity, _ in messages(helper)}


def test_a_stranger_on_a_gpu_that_is_busy_while_others_of_the_node_idle_works_there() -> None:
    held = pmon(4711, "-", "python", "40960")
    use = "$ nvidia-smi --query-gpu=index,utilization.gpu --format=csv,noheader\n0, {} %\n1, {} %\n"
    assert said("gpu-processes", TABLE + held + use.format(97, 0)) == snapshot(
        [("gpu-busy", "error", "likely", "another program works on GPUs that were measured: python (pid 4711)")]
    )
    for percent in ((0, 97), (97, 97), (30, 0)):  # another GPU; all of them, as of the job; little
        ((_, severity, *_),) = said("gpu-processes", TABLE + held + use.format(*percent))
        assert severity == "warning", percent
