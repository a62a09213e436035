"""Rows of ``nvidia-smi --query-gpu`` without a heading, from many nodes: the command above names the columns."""

from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from whole_inputs import checked

from slowlink.facts.assemble import assemble
from slowlink.inputs import Input
from slowlink.parsers.reading.read import read

FIELDS = "index,temperature.gpu,clocks_event_reasons.hw_power_brake_slowdown,ecc.errors.uncorrected.volatile.total"
PDSH = f"$ pdsh -w kx-g-[081-083] 'nvidia-smi --query-gpu={FIELDS} --format=csv,noheader'\n"
ROWS = "kx-g-081: 0, 41, Active, 0\nkx-g-082: 0, 39, Not Active, 0\nkx-g-081: 1, 42, Not Active, 2\n"


def values(text: str) -> list[str]:
    found = read([Input("job.log", None, [text.encode()])], workers=1).readings
    return [f"{each.host} {each.part.name} {each.attribute} = {each.value}" for each in found]


def test_the_command_names_the_columns_of_all_nodes() -> None:
    assert values(PDSH + ROWS) == snapshot(
        [
            "kx-g-081 0 gpu-temperature = 41.0",
            "kx-g-081 0 gpu-clocks-power-brake = True",
            "kx-g-081 0 gpu-ecc-volatile-uncorrectable = 0",
            "kx-g-082 0 gpu-temperature = 39.0",
            "kx-g-082 0 gpu-clocks-power-brake = False",
            "kx-g-082 0 gpu-ecc-volatile-uncorrectable = 0",
            "kx-g-081 1 gpu-temperature = 42.0",
            "kx-g-081 1 gpu-clocks-power-brake = False",
            "kx-g-081 1 gpu-ecc-volatile-uncorrectable = 2",
        ]
    )


def test_rows_of_many_nodes_come_in_any_order() -> None:
    rows = [f"kx-g-{node:03}: {index}, 40, Not Active, 0\n" for index in range(8) for node in range(1, 40)]
    assert len(values(PDSH + "".join(rows))) == 8 * 39 * 3


def test_a_second_command_names_other_columns() -> None:
    again = PDSH.replace(FIELDS, "index,persistence_mode,clocks.sm")
    text = PDSH + ROWS + again + "kx-g-081: 0, Disabled, 345 MHz\nkx-g-082: 0, Enabled, 1980 MHz\n"
    assert values(text)[-4:] == snapshot(
        [
            "kx-g-081 0 gpu-persistence = False",
            "kx-g-081 0 gpu-clock-sm = 345.0",
            "kx-g-082 0 gpu-persistence = True",
            "kx-g-082 0 gpu-clock-sm = 1980.0",
        ]
    )


def test_an_ssh_loop_without_units() -> None:
    loop = f"for h in kx-g-081 kx-g-082; do echo == $h; ssh $h nvidia-smi --query-gpu={FIELDS} --format=csv,noheader,nounits; done\n"
    assert values(loop + "== kx-g-081\n0, 41, Active, 0\n== kx-g-082\n0, 40, Not Active, 0\n") == snapshot(
        [
            "None 0 gpu-temperature = 41.0",
            "None 0 gpu-clocks-power-brake = True",
            "None 0 gpu-ecc-volatile-uncorrectable = 0",
            "None 0 gpu-temperature = 40.0",
            "None 0 gpu-clocks-power-brake = False",
            "None 0 gpu-ecc-volatile-uncorrectable = 0",
        ]
    )


def test_without_a_command_numbers_have_no_meaning() -> None:
    assert values(ROWS) == []


def test_one_column_gives_no_other_line_a_meaning() -> None:
    one = PDSH.replace(FIELDS, "temperature.gpu")
    late = "".join(f"kx-g-081: job {n} runs\n" for n in range(20)) + "kx-g-081: 77\n"
    assert values(one + late) == []


def test_each_finding_knows_its_host() -> None:
    assert [(found.cause, found.message) for found in checked(PDSH + ROWS).findings] == snapshot(
        [
            ("power-brake", "kx-g-081 GPU 0: hardware slowdown by the power brake"),
            ("gpu-memory-errors", "kx-g-081 GPU 1: 2 uncorrectable memory errors since the driver was loaded"),
        ]
    )


@pytest.mark.parametrize(("behind", "rows"), [("", 2), (" | sort -u", 1)])
def test_answers_that_clush_gathered_begin_anew_below_each_names(behind: str, rows: int) -> None:
    ruler, answers = "-" * 15, (("h[01-02] (2)", "570.158.01"), ("h03", "550.54.15"))
    text = f"$ clush -b -w h[01-03] 'nvidia-smi --query-gpu=driver_version --format=csv,noheader{behind}'\n" + "".join(
        f"{ruler}\n{names}\n{ruler}\n" + f"{version}\n" * rows for names, version in answers
    )
    state = assemble(read([Input("t", None, [text.encode()])], workers=1)).state
    assert state is not None
    assert {(r.host, r.value) for r in state.readings["driver-version"].all} == {
        ("h01", "570.158.01"),
        ("h02", "570.158.01"),
        ("h03", "550.54.15"),
    }
