"""Commands of remedies: words, quoted; and only what is plausible becomes one."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink.rules.evidence import commands
from slowlink.rules.evidence.commands import command, export, one_after_another, piped

PLAUSIBLE = {
    commands.as_node: (
        "NODE",
        ["gpu01", "gpu-01.cluster.local", "_n1"],
        ["-oProxyCommand=id", "a;id", "a b", "$(id)", ""],
    ),
    commands.as_nodes: ("NODES", ["gpu[01-16,20]", "a,b"], ["[1-2];id", "a b"]),
    commands.as_device: ("HCA", ["mlx5_0", "0000:3b:00.0"], ["mlx5_0;id", "-d"]),
    commands.as_interface: ("INTERFACE", ["eth0", "ens1f0np0", "bond0.100"], ["eth0 -m", "--help", "a/b"]),
    commands.as_address: ("ADDRESS", ["10.0.0.1", "fe80::1", "gpu01"], ["10.0.0.1;id", "-e"]),
    commands.as_pci_address: ("PCI_ADDRESS", ["0000:3b:00.0", "3b:00.0"], ["3b:00.0;id", "all"]),
    commands.as_variable: ("VARIABLE", ["NCCL_IB_HCA"], ["NCCL_X;id", "path", "A=B"]),
    commands.as_job: ("JOB", ["4711", "4711_3", "4711.batch"], ["4711;id", "-a"]),
    commands.as_path: ("PATH", ["/dev/shm", "/data/run_3/x+y"], ["/data/$(id)", "x/y", "-x", "/a b", "/a;id", "/a\nb"]),
    commands.as_description: (
        "NODE",
        ["leaf 3", "SwitchX - Mellanox/U1", "gpu01 HCA-1"],
        ["leaf;id", "-x", "a\nb", "`id`"],
    ),
    commands.as_file_name: ("FILE", ["libnccl-net.so"], ["$(id)", "-x", "a b"]),
}


@pytest.mark.parametrize("make", PLAUSIBLE, ids=lambda make: make.__name__)
def test_only_what_is_plausible_becomes_a_word(make: object) -> None:
    stands_for, good, bad = PLAUSIBLE[make]  # type: ignore[index]
    assert [make(text) for text in good] == good  # type: ignore[operator]
    assert [make(text) for text in bad] == [stands_for] * len(bad)  # type: ignore[operator]


def test_the_front_of_a_port_and_the_end_of_a_path_are_taken() -> None:
    assert commands.as_hca("mlx5_0/1") == "mlx5_0"
    assert commands.as_file_name("/opt/lib/libnccl-net.so") == "libnccl-net.so"


def test_the_zone_of_an_address_is_an_interface() -> None:
    assert commands.as_address("fe80::1%ib0") == "fe80::1%ib0"
    assert commands.as_address("fe80::1%$(id)") == "fe80::1%INTERFACE"


def test_a_setting_that_no_setting_can_have_is_not_repeated() -> None:
    assert commands.as_assignment("NCCL_ALGO", "Ring,Tree") == "NCCL_ALGO=Ring,Tree"
    assert commands.as_assignment("NCCL_ALGO", "Ring;curl${IFS}evil|sh") == "NCCL_ALGO=VALUE"
    assert export("NCCL_IB_HCA", "^=mlx5_2") == "export NCCL_IB_HCA='^=mlx5_2'"


def test_a_word_that_begins_with_the_sign_of_equality_is_quoted_for_zsh() -> None:
    assert export("NCCL_SOCKET_IFNAME", "=eth0") == "export NCCL_SOCKET_IFNAME='=eth0'"
    assert command("echo", "=ls", "a=b") == "echo '=ls' a=b"


def test_what_another_variable_holds_stays_one_word() -> None:
    assert commands.export_from("A", "B", "/lib:") == 'export A="/lib:$B"'
    assert commands.export_from("A", "B;id") == 'export A="$VARIABLE"'


def test_node_sets_are_quoted_for_shells_that_expand_them() -> None:
    assert command("slowlink", "prepare", "--nodes", "gpu[01-16]") == "slowlink prepare --nodes 'gpu[01-16]'"


@given(st.lists(st.text(min_size=1), min_size=1))
def test_a_shell_reads_the_words_that_were_given(words: list[str]) -> None:
    assert shlex.split(command(*words)) == words


def test_commands_are_joined() -> None:
    assert piped(command("a"), command("b", "c d")) == "a | b 'c d'"
    assert one_after_another(command("a"), command("b")) == "a; b"
