"""What the whole analysis adds to what rules say: the words for what was not collected."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from inline_snapshot import snapshot

from slowlink.inputs import Input
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.message_table import MAX_EVENTS
from slowlink.parsers.reading import read as reading
from slowlink.simulate.job import SimulatedJob, job_log
from slowlink.simulate.node_state.description import SimulatedNode
from slowlink.simulate.node_state.nvidia_smi_output import query
from slowlink.workflows.analyze import analyze


def skipped(path: Path, text: str) -> dict[str, str]:
    """Rule -> why it was skipped."""
    log = path / "job.log"
    log.write_text(text)
    return {each.rule: each.reason for each in analyze(log).outcomes if each.outcome == "skipped"}


def test_one_line_that_says_little_is_named_in_the_singular(tmp_path: Path) -> None:
    log = tmp_path / "job.log"
    log.write_text("Setting processor affinity\n")
    assert analyze(log).headline == snapshot("inconclusive: nothing recognised in 1 line")
    log.write_text("[root@gpu01 ~]# cat /proc/sys/kernel/numa_balancing\n0\n")
    assert analyze(log).headline == snapshot(
        "inconclusive: 2 lines read (sysfs), and nothing in them tells good from bad: what is there needs a sound node beside it"
    )
    log.write_text("/sys/class/infiniband/mlx5_0/ports/1/counters/link_downed:3\n")
    assert analyze(log).headline == snapshot(
        "inconclusive: 1 line read (sysfs), and nothing in it tells good from bad: counters need a second look (mlx5_0/1 link-downed 3)"
    )


def test_counters_of_errors_that_are_not_zero_are_named_and_others_are_not(tmp_path: Path) -> None:
    log = tmp_path / "job.log"
    counts = {"symbol_error": 0, "link_downed": 3, "excessive_buffer_overrun_errors": 3100, "port_xmit_packets": 9}
    counters = "/sys/class/infiniband/mlx5_0/ports/1/counters"
    log.write_text("".join(f"{counters}/{name}:{count}\n" for name, count in counts.items()))
    told = "counters need a second look (mlx5_0/1 excessive-buffer-overruns 3,100, mlx5_0/1 link-downed 3)"
    assert analyze(log).headline.endswith(told)


def test_a_skipped_rule_says_what_it_would_need(tmp_path: Path) -> None:
    reasons = skipped(tmp_path, "nothing of interest\n")
    assert [rule for rule, reason in reasons.items() if not reason] == []
    assert [reasons["busbw-below-expected"], reasons["port-down"]] == snapshot(
        [
            "no sweep or link could be compared with a bound: hardware unknown",
            "no lines of NCCL's log; run with NCCL_DEBUG=WARN or INFO",
        ]
    )


def test_where_a_sweep_cannot_be_judged_the_reason_says_what_the_input_leaves_open(tmp_path: Path) -> None:
    reasons = skipped(tmp_path, job_log(SimulatedJob(plateau_gbs=46.0, collective="gather")))
    assert reasons["busbw-below-expected"] == snapshot(
        "what was measured cannot be judged: there is no model of gather"
    )


def test_an_attribute_that_no_tool_printed_is_named_where_others_were(tmp_path: Path) -> None:
    reasons = skipped(tmp_path, "[root@gpu01 ~]# cat /proc/sys/kernel/numa_balancing\n0\n")
    assert reasons["cpu-governor-not-performance"] == snapshot(
        "no reading of frequency governor; slowlink snapshot asks every node (cpupower frequency-info, sysfs scaling_governor)"
    )


def test_nothing_is_healthy_where_a_limit_left_something_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was left out may be what is wrong."""
    log = tmp_path / "links.txt"
    link = '      0x{0:016x}     {0}    1[  ] ==( 4X       25.78125 Gbps Active/  LinkUp)==>  0x{0:016x}      {0}   {1}[  ] "leaf1" ( )\n'
    log.write_text("".join(f"CA: host{n} mlx5_0:\n{link.format(n, n % 30 + 1)}" for n in range(1, 40)))
    assert analyze(log).verdict == "healthy"
    monkeypatch.setattr("slowlink.parsers.fabric.gathered.MAX_READINGS", Limit(20, "readings"))
    report = analyze(log)
    assert (report.verdict, report.headline) == (
        "inconclusive",
        f"inconclusive: {log}: holds more than 20 readings of iblinkinfo; not all of them were kept; "
        "what was read shows nothing wrong",
    )
    assert report.inputs[0].problem == "holds more than 20 readings of iblinkinfo; not all of them were kept"


def test_what_a_limit_left_out_is_said_beside_what_is_wrong(tmp_path: Path) -> None:
    log = tmp_path / "job.log"
    log.write_text("".join(f"ssh: connect to host q{n} port 22: Connection refused\n" for n in range(MAX_EVENTS + 9)))
    report = analyze(log)
    assert report.verdict == "broken"
    assert report.headline.endswith(
        f"; not everything was read: {log}: holds more than 20,000 different messages of ssh; not all of them were kept"
    )


def test_a_folder_that_cannot_be_read_to_its_end_is_not_healthy_by_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("slowlink.inputs.directory.MOST_FILES", 1)
    for name in ("a", "b"):
        (tmp_path / f"{name}.txt").write_text(
            "CA 'mlx5_0'\n\tPort 1:\n\t\tState: Active\n\t\tPhysical state: LinkUp\n\t\tRate: 400\n"
        )
    assert analyze(tmp_path / "a.txt").verdict == "healthy"
    report = analyze(tmp_path)
    assert (report.verdict, report.headline) == (
        "inconclusive",
        f"inconclusive: {tmp_path}: holds more than 1 files; the others were not read; what was read shows nothing wrong",
    )


def test_a_defect_costs_the_source_in_which_it_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "job.log").write_text(job_log(SimulatedJob(plateau_gbs=186.0)))
    (tmp_path / "other.log").write_text("2\n")
    read_text = reading._read_text

    def breaks(item: Input, *rest: Any) -> Any:
        return int("²") if item.name.endswith("other.log") else read_text(item, *rest)

    assert analyze(tmp_path).verdict == "healthy"
    monkeypatch.setattr(reading, "_read_text", breaks)
    report = analyze(tmp_path, workers=1)
    (problem,) = [source.problem for source in report.inputs if source.problem]
    assert re.sub(r"\d+", "N", problem) == (
        "not read, by a defect of slowlink (ValueError in test_analyze:N; please report it)"
    )
    assert (report.verdict, report.headline.partition("; not everything was read: ")[2]) == (
        "inconclusive",
        f"{tmp_path}/other.log: {problem}",
    )


@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux alone")
def test_a_fleet_is_told_alike_whichever_process_puts_it_together(tmp_path: Path) -> None:
    """In a program with one thread, as the command line is: tests run beside others."""
    for name in ("gpu01", "gpu02", "gpu03"):
        answer = query(SimulatedNode(name, 0xABCD, gpus=2))
        (tmp_path / f"{name}.txt").write_text(f"[root@{name} ~]# nvidia-smi -q\n{answer}\n")
    program = f"""
import sys
from slowlink import analyze
from slowlink.parsers.reading import beside
module = sys.modules["slowlink.workflows.analyze"]
beside.cores = lambda: 2
shown, asked = module._shown, []
module._shown = lambda *of: (asked.append(1), shown(*of))[1]
reports = []
for module._FLEET_NODES in (4, 3):
    reports.append(analyze({str(tmp_path)!r}, workers=1))
print(len(asked), reports[0] == reports[1], len(reports[0].facts["state_nodes"]))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.stderr) == ("1 True 3\n", "")


def test_sound_gpus_of_one_node_make_no_job_of_several_healthy(tmp_path: Path) -> None:
    """What a job does on four nodes is told by a measurement, or by all four."""
    hosts = ("gpu01", "gpu02", "gpu03", "gpu04")
    log = "".join(
        f"{host}:41:42 [0] NCCL INFO ncclCommInitRank comm 0x5 rank {rank} nranks 4 cudaDev 0 busId 1b000 - Init COMPLETE\n"
        for rank, host in enumerate(hosts)
    )
    (tmp_path / "job.log").write_text(log)
    for looked_at, verdict in ((hosts[:1], "inconclusive"), (hosts, "healthy")):
        for host in looked_at:
            (tmp_path / f"{host}.txt").write_text(f"[root@{host} ~]# nvidia-smi -q\n{query(SimulatedNode(host))}")
        assert analyze([tmp_path]).verdict == verdict


def test_an_error_beside_a_job_that_hangs_broke_it(tmp_path: Path) -> None:
    """Whoever says that it does not go on knows more than its speed."""
    state = "[root@gpu01 ~]# lspci -vvv | grep ACSCtl\n\t\tACSCtl:\tSrcValid+ TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd+\n"
    for told, verdict in (("", "degraded"), ("Our NCCL job hangs at the first collective\n", "broken")):
        (tmp_path / "mail.txt").write_text(told + state)
        assert analyze([tmp_path]).verdict == verdict
