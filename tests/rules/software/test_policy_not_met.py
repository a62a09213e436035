from __future__ import annotations

from pathlib import Path

from inline_snapshot import snapshot

from slowlink.model.report import Report
from slowlink.workflows.analyze import analyze
from slowlink.workflows.policy.read import read_policy


def judged(folder: Path, policy: str, values: dict[str, int]) -> Report:
    """Nodes that tell whether NUMA balancing is on."""
    place = folder / "policy.toml"
    place.write_text(f'schema = "slowlink.policy/1"\n{policy}')
    text = "".join(
        f"[root@{node} ~]# grep -H . /proc/sys/kernel/numa_balancing\n/proc/sys/kernel/numa_balancing:{value}\n"
        for node, value in values.items()
    )
    return analyze(text.encode(), policy=read_policy(place))


def said(report: Report) -> list[tuple[str, str, str]]:
    """What the rule says, without the folder of the policy."""
    return [(each.cause, each.severity, each.message) for each in report.findings if each.cause.startswith("policy")]


def test_who_is_not_as_the_policy_says(tmp_path: Path) -> None:
    report = judged(tmp_path, "[node]\nnuma-balancing = false\n", {"gpu01": 1, "gpu02": 0, "gpu03": 1})
    assert said(report) == snapshot([("policy-not-met", "error", "gpu[01,03]: automatic NUMA balancing on, not off")])
    assert report.verdict == "degraded"
    found = next(each for each in report.findings if each.cause == "policy-not-met")
    line = found.evidence[0]
    assert (line.observed, line.expected) == ("automatic NUMA balancing: on", "off")


def test_several_things_of_one_node_name_it_once(tmp_path: Path) -> None:
    text = "".join(
        f"[root@gpu01 ~]# grep -H . /proc/sys/{name}\n/proc/sys/{name}:1\n"
        for name in ("kernel/numa_balancing", "vm/zone_reclaim_mode", "vm/nr_hugepages")
    )
    place = tmp_path / "policy.toml"
    place.write_text(
        'schema = "slowlink.policy/1"\n[node]\nnuma-balancing = false\nzone-reclaim = false\nhuge-pages = 0\n'
    )
    assert said(analyze(text.encode(), policy=read_policy(place))) == snapshot(
        [
            ("policy-not-met", "error", "gpu01: automatic NUMA balancing on, not off"),
            ("policy-not-met", "warning", "gpu01: zone reclaim on, not off; huge pages set aside 1, not 0"),
        ]
    )


def test_all_nodes_wrong_alike(tmp_path: Path) -> None:
    nodes = {f"gpu{number:02}": 1 for number in range(16)}
    assert said(judged(tmp_path, "[node]\nnuma-balancing = false\n", nodes)) == snapshot(
        [("policy-not-met", "error", "gpu[00-15]: automatic NUMA balancing on, not off")]
    )


def test_what_most_nodes_share_is_told_before_what_one_has(tmp_path: Path) -> None:
    text = "".join(
        f"[root@gpu0{number} ~]# grep -H . /proc/sys/vm/{name}\n/proc/sys/vm/{name}:{value}\n"
        for number in range(3)
        for name, value in (("zone_reclaim_mode", int(number == 1)), ("nr_hugepages", 7))
    )
    place = tmp_path / "policy.toml"
    place.write_text('schema = "slowlink.policy/1"\n[node]\nzone-reclaim = false\nhuge-pages = 0\n')
    ((_, _, message),) = said(analyze(text.encode(), policy=read_policy(place)))
    assert message == snapshot("gpu[00-02]: huge pages set aside 7, not 0; gpu01: zone reclaim on, not off")


def test_what_nobody_knows_is_not_as_it_should_be(tmp_path: Path) -> None:
    report = judged(tmp_path, '[node]\nnuma-balancing = false\ndriver-version = "550"\n', {"gpu01": 0})
    assert said(report) == snapshot(
        [
            (
                "policy-unchecked",
                "warning",
                "gpu01: 1 of 2 points of the policy could not be checked: GPU driver (nvidia-smi, mx-smi, rocm-smi, /proc/driver/nvidia/version)",
            )
        ]
    )
    assert report.verdict == "inconclusive"


def test_a_node_that_meets_it_is_shown_right(tmp_path: Path) -> None:
    report = judged(tmp_path, "[node]\nnuma-balancing = false\n", {"gpu01": 0})
    assert said(report) == []
    assert "gpu01: as the policy says in its only point" in str(report.facts["proofs"])


def test_without_a_policy_it_is_silent(tmp_path: Path) -> None:
    report = analyze(b"[root@a ~]# grep -H . /proc/sys/kernel/numa_balancing\n/proc/sys/kernel/numa_balancing:1\n")
    assert said(report) == []
