from __future__ import annotations

from inline_snapshot import snapshot
from state_proofs import proofs_of
from text_findings import findings_of, remedies_of, said

RULE = "cpu-governor-not-performance"


def cpus(node: str, *governors: str) -> str:
    lines = "".join(
        f"/sys/devices/system/cpu/cpu{n}/cpufreq/scaling_governor:{governor}\n" for n, governor in enumerate(governors)
    )
    return f"[root@{node} ~]# grep -H . /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor\n{lines}"


def test_all_cpus_of_one_node() -> None:
    text = cpus("gpu01", *["performance"] * 4) + cpus("gpu02", *["powersave"] * 4)
    assert said(RULE, text) == snapshot(
        [
            (
                "cpu-governor-not-performance",
                "warning",
                "certain",
                "gpu02: the CPU frequency governor is powersave, not performance, on all 4 CPUs that were read",
            )
        ]
    )


def test_some_cpus() -> None:
    assert said(RULE, cpus("gpu01", "performance", "schedutil", "performance")) == snapshot(
        [
            (
                "cpu-governor-not-performance",
                "warning",
                "certain",
                "gpu01: the CPU frequency governor is schedutil, not performance, on 1 of 3 CPUs that were read",
            )
        ]
    )


def test_several_nodes_are_folded() -> None:
    text = "".join(cpus(f"gpu{n:02}", "ondemand", "ondemand") for n in (1, 2, 3))
    assert said(RULE, text)[0][3] == snapshot(
        "gpu[01-03]: the CPU frequency governor is ondemand, not performance, on all 2 CPUs that were read each"
    )


def test_powersave_with_an_eager_hardware_is_mild() -> None:
    eager = "/sys/devices/system/cpu/cpu0/cpufreq/energy_performance_preference:performance\n"
    assert [entry[1:3] for entry in said(RULE, cpus("gpu01", "powersave") + eager)] == [("info", "possible")]


def test_counted_governors() -> None:
    text = "# cat /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor | sort | uniq -c\n     96 schedutil\n"
    assert said(RULE, text)[0][3] == snapshot(
        "the CPU frequency governor is schedutil, not performance, on all 96 CPUs that were read"
    )


def test_proof() -> None:
    assert findings_of(RULE, cpus("gpu01", "performance", "performance")) == ()
    assert proofs_of(RULE, cpus("gpu01", "performance", "performance")) == snapshot(
        [("the frequency governor is performance on 2 CPUs that were read of gpu01", 0)]
    )


def test_it_says_what_to_do() -> None:
    text = cpus("gpu01", *["performance"] * 4) + cpus("gpu02", *["powersave"] * 4)
    assert remedies_of(RULE, text) == snapshot(
        [
            [
                ("Set it until the next start.", "cpupower frequency-set -g performance"),
                (
                    "Or on all of them, with a record to go back by.",
                    "slowlink prepare --nodes gpu02 --only governor --apply",
                ),
            ]
        ]
    )
