from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, said

RULE = "node-too-hot"
KERNEL = "Mar 04 02:12:10 gpu21 kernel: "


def test_processors_are_counted() -> None:
    lines = [
        f"{KERNEL}mce: CPU{number}: Package temperature above threshold, cpu clock throttled (total events = 9)\n"
        for number in (3, 67, 3)
    ]
    assert said(RULE, "".join(lines)) == snapshot(
        [("node-too-hot", "warning", "likely", "gpu21: heat slowed 2 processors down")]
    )


def test_an_hca_is_named() -> None:
    (found,) = findings_of(
        RULE,
        f"{KERNEL}mlx5_core 0000:12:00.0: temp_warn:194:(pid 0): High temperature on sensors with bit set 0 1\n",
    )
    assert (found.severity, found.message) == snapshot(("warning", "gpu21: HCA 0000:12:00.0 is too hot"))
    assert [(suspect.kind, suspect.name) for suspect in found.suspects] == [("hca", "0000:12:00.0"), ("node", "gpu21")]
    assert [(remedy.text, remedy.command) for remedy in found.remedy] == snapshot(
        [
            ("Read temperatures and fans, beside those of another node.", "ipmitool sensor; mget_temp -d HCA"),
            ("Look at fans, filters and inlet temperature.", ""),
        ]
    )


def test_silent_on_a_temperature_that_fell() -> None:
    assert findings_of(RULE, f"{KERNEL}mce: CPU3: Package temperature/speed normal\n") == ()


def test_a_sensor_at_its_critical_limit() -> None:
    line = "asic:         +{}°C  (crit = +105.0°C, highest = +108.0°C)\n"
    assert said("node-too-hot", line.format("107.0")) == snapshot(
        [("node-too-hot", "error", "likely", "asic reached the critical temperature")]
    )
    assert said("node-too-hot", line.format("57.0")) == []
