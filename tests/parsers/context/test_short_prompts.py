"""Prompts that are a node's short name and a mark: two or more of them say where the lines below were printed."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st

from slowlink.inputs import Input
from slowlink.parsers.context.commands.lead import strip_lead
from slowlink.parsers.context.commands.typed_prompts import short_prompt
from slowlink.parsers.context.short_prompts import ShortPrompts
from slowlink.parsers.reading.read import read
from slowlink.workflows.analyze import analyze


@pytest.mark.parametrize(
    ("text", "name", "command"),
    [
        ("q7 $ ibv_devinfo -d mlx5_bond_0 | egrep 'mtu'", "q7", "ibv_devinfo -d mlx5_bond_0 | egrep 'mtu'"),
        ("h200-9 $ ip link show bond0", "h200-9", "ip link show bond0"),
        ("node07# dmesg -T", "node07", "dmesg -T"),
        ("roce-a$ sudo mlxlink -d mlx5_0", "roce-a", "sudo mlxlink -d mlx5_0"),
        ("  gpu-12.site # cat /proc/cmdline", "gpu-12.site", "cat /proc/cmdline"),
        ("n3 $ ./run.sh", "n3", "./run.sh"),
        ("n3 $ mytool --all", "n3", "mytool --all"),
        ("n3 % uptime", "n3", "uptime"),
    ],
)
def test_a_prompt_names_its_node_and_what_was_typed(text: str, name: str, command: str) -> None:
    assert short_prompt(text) == (name, command)
    assert strip_lead(text) == ("prompt", command)
    found = feed(ShortPrompts, [text, text])
    assert [(each.host, each.detail) for each in found] == [(name, command)] * 2


@pytest.mark.parametrize(
    "text",
    [
        "x1 # the second one",
        "size # in bytes",
        "h100 $ 2.50",
        "h100 $ per hour",
        "a100 $ US dollars",
        "fi # cat is done",
        "done # for each node",
        "export A=1 # dmesg",
        "gpu-11 gpu-12 # Avg bus bandwidth    : 452.118",
        "step1 $ ibstat",
        "rank0 # dmesg",
        "bash-5.1$ dmesg",
        "sh-4.4# cat /proc/cmdline",
        "n3 # ip of the switch",
        "n3 # free of charge",
        "node1 $HOME",
        "| n3 $ ibstat |",
        "#  size  count $ ls",
        "rx0 % of line rate",
    ],
)
def test_comments_prices_and_variables_are_none(text: str) -> None:
    assert short_prompt(text) is None
    assert feed(ShortPrompts, [text, text]) == []


def test_one_alone_may_be_anything() -> None:
    assert feed(ShortPrompts, ["q7 $ ibstat"]) == []


def test_ports_of_two_nodes_are_not_merged(tmp_path: Path) -> None:
    port = "hca_id:\tmlx5_2\n\tport:\t1\n\t\tstate:\t\t\tPORT_ACTIVE (4)\n\t\tactive_mtu:\t\t{mtu}\n"
    told = {}
    for name, last in (("differ", "1024 (3)"), ("equal", "4096 (5)")):
        log = tmp_path / f"{name}.txt"
        log.write_text(
            "".join(
                f"wk{number} $ ibv_devinfo -d mlx5_2\n{port.format(mtu=mtu)}"
                for number, mtu in enumerate(("4096 (5)", "4096 (5)", last), 31)
            )
        )
        report = analyze([log])
        told[name] = [(finding.cause, [each.name for each in finding.suspects]) for finding in report.findings]
    assert told == {"differ": [("mtu-mismatch", ["wk33 mlx5_2/1", "wk33"]), ("node-differs", ["wk33"])], "equal": []}


@pytest.mark.parametrize(
    "prompt",
    [
        *(
            "[root@{} ~]# ",
            "root@{}:~# ",
            "{}:~# ",
            "{}:~ # ",
            "{}# ",
            "{} # ",
            "{}$ ",
            "{} $ ",
            "{}$   ",
            "{}% ",
            "{}> ",
        ),
        *("({}) $ ", "({})$ ", "[{}]$ ", "[{}] # ", "<{}> ", "{} >> ", "{} ❯ ", "me@{} $ ", "{} ~ # ", "{}:/root$ "),
    ],
)
def test_a_command_that_heads_the_block_of_a_tool_is_a_prompt_too(prompt: str) -> None:
    asked = "ibv_devinfo -d mlx5_0 | grep active_mtu\n        active_mtu:             4096 (5)\n"
    text = "".join(prompt.format(name) + asked for name in ("wk1", "wk2", "wk3"))
    records = read([Input("asked.txt", None, [text.encode()])], workers=1)
    assert [each.host for each in records.collected] == ["wk1", "wk2", "wk3"]
    assert (records.sources[0].unread, len(records.readings)) == (0, 3)


@given(st.text(alphabet=st.sampled_from("q7n-$#% catls/|\n"), max_size=200))
def test_any_text_gives_a_prompt_for_each_line_at_most(text: str) -> None:
    found = feed(ShortPrompts, text.splitlines())
    assert len(found) != 1
    assert len(found) <= len(text.splitlines())
    assert all(one.ref.line < other.ref.line for one, other in pairwise(found))
