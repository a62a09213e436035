"""Several kernel files whose contents one command printed below one another."""

from __future__ import annotations

import pytest
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from text_findings import said as found

from slowlink.inputs import Input
from slowlink.parsers.kernel.kernel_file_series import KernelFileSeries
from slowlink.parsers.reading.read import read

PKEYS = "/sys/class/infiniband/mlx5_0/ports/1/pkeys"


def said(text: str) -> list[str]:
    """``host attribute part = value`` of every reading."""
    records = read([Input("t", None, [text.encode()])], workers=1)
    return [f"{r.host} {r.attribute} {r.part.name} = {r.value}" for r in records.readings]


def test_braces_name_the_files() -> None:
    text = (
        "[root@gpu07 ~]# cat /sys/class/net/hsn{0,2}/carrier_changes /sys/class/net/hsn[4-5]/mtu\n2\n58\n9000\n1500\n"
    )
    assert said(text) == snapshot(
        [
            "None interface-carrier-changes hsn0 = 2",
            "None interface-carrier-changes hsn2 = 58",
            "None interface-mtu hsn4 = 9000",
            "None interface-mtu hsn5 = 1500",
        ]
    )


def test_a_loop_over_the_entries_of_a_table_echoes_their_numbers() -> None:
    text = f'[a@gpu07 ~]$ for i in 0 1 2; do echo -n "$i "; cat {PKEYS}/$i; done\n0 0x7fff\n1 0x8021\n2 0x0000\n'
    assert said(text) == snapshot(["None pkey-value mlx5_0/1/0 = 0x7fff", "None pkey-value mlx5_0/1/1 = 0x8021"])


def test_a_star_stands_for_as_many_numbered_files_as_there_are_lines() -> None:
    lines = "\n".join(["0xffff", "0x8021", *["0x0000"] * 9, "0x8022"])
    assert said(f"[a@gpu07 ~]$ cat {PKEYS}/*\n{lines}\n[a@gpu07 ~]$ exit\n") == snapshot(
        [
            "None pkey-value mlx5_0/1/0 = 0xffff",
            "None pkey-value mlx5_0/1/1 = 0x8021",
            "None pkey-value mlx5_0/1/9 = 0x8022",
        ]
    )


def test_a_loop_over_hosts_has_the_same_files_of_each() -> None:
    command = "[a@head ~]$ for n in gpu01 gpu02; do ssh $n cat /sys/class/infiniband/mlx5_{0,1}/ports/1/rate; done\n"
    rates = "400 Gb/sec (4X NDR)\n400 Gb/sec (4X NDR)\n400 Gb/sec (4X NDR)\n200 Gb/sec (2X NDR)\n"
    assert said(command + rates) == snapshot(
        [
            "gpu01 port-rate mlx5_0/1 = 400.0",
            "gpu01 port-width mlx5_0/1 = 4",
            "gpu01 port-rate mlx5_1/1 = 400.0",
            "gpu01 port-width mlx5_1/1 = 4",
            "gpu02 port-rate mlx5_0/1 = 400.0",
            "gpu02 port-width mlx5_0/1 = 4",
            "gpu02 port-rate mlx5_1/1 = 200.0",
            "gpu02 port-width mlx5_1/1 = 2",
        ]
    )
    assert said(command + "400 Gb/sec (4X NDR)\n200 Gb/sec (2X NDR)\n100 Gb/sec (1X NDR)\n") == []


def test_one_file_of_each_host() -> None:
    command = "$ for h in gpu01 gpu02; do ssh $h 'cat /sys/class/infiniband/mlx5_0/ports/1/state'; done\n"
    assert said(command + "4: ACTIVE\n1: DOWN\n") == [
        "gpu01 port-state mlx5_0/1 = Active",
        "gpu02 port-state mlx5_0/1 = Down",
    ]


def test_headings_of_hosts_part_the_contents() -> None:
    command = f'[a@head ~]$ for n in gpu01 gpu02 gpu03; do echo "== $n"; ssh $n "cat {PKEYS}/{{0..1}}"; done\n'
    text = command + "".join(
        f"== {node}\n0x7fff\n{key}\n" for node, key in (("gpu01", "0x8021"), ("gpu02", "0x8021"), ("gpu03", "0x8034"))
    )
    assert found("partition-mismatch", text) == snapshot(
        [
            (
                "partition-mismatch",
                "critical",
                "likely",
                "gpu03: partition keys 0x7fff and 0x8034 give no common partition with the other nodes",
            )
        ]
    )


def test_each_node_of_pdsh_and_clush_answers_in_its_own_stream() -> None:
    command = f'[a@head ~]$ clush -w gpu[1-2] "for i in 0 1; do cat {PKEYS}/\\$i; done"\n'
    assert said(f"{command}gpu1: 0x7fff\ngpu2: 0x7fff\ngpu2: 0x0000\ngpu1: 0x8021\n") == snapshot(
        [
            "gpu1 pkey-value mlx5_0/1/0 = 0x7fff",
            "gpu2 pkey-value mlx5_0/1/0 = 0x7fff",
            "gpu1 pkey-value mlx5_0/1/1 = 0x8021",
        ]
    )
    # what is printed next of a node was not asked for by this command, and what it could not read shifts the rest
    assert said(f"{command}gpu1: 0x7fff\ngpu1: 0x8021\ngpu1: 0x8022\n") == snapshot([])
    assert said(f"{command}gpu1: cat: {PKEYS}/0: No such file or directory\ngpu1: 0x8021\n") == []
    assert said(f"{command}gpu1: 0x7fff\n$ uptime\n") == []


def test_one_file_that_is_asked_of_many_nodes() -> None:
    assert said(f"$ pdsh -w gpu[1-2] cat {PKEYS}/0\ngpu2: 0xffff\ngpu1: 0x7fff\n") == snapshot(
        ["gpu2 pkey-value mlx5_0/1/0 = 0xffff", "gpu1 pkey-value mlx5_0/1/0 = 0x7fff"]
    )
    assert said(f"$ cat {PKEYS}/0 | sort -u\ngpu2: 0xffff\n") == []


def test_nodes_that_said_the_same_stand_between_rulers() -> None:
    ruler = "-" * 15
    text = (
        f"$ clush -bw gpu[1-3] 'cat {PKEYS}/{{0,1}}'\n{ruler}\ngpu[1-2] (2)\n{ruler}\n0x7fff\n0x8021\n"
        f"{ruler}\ngpu3\n{ruler}\n0x7fff\n0x0000\n"
    )
    assert found("partition-mismatch", text) == snapshot(
        [
            (
                "partition-mismatch",
                "critical",
                "likely",
                "gpu3: partition keys 0x7fff give no common partition with the other nodes (limited members cannot talk to one another)",
            )
        ]
    )
    ansible = (
        f"$ ansible gpu -m shell -a 'cat {PKEYS}/0 {PKEYS}/1'\ngpu1 | CHANGED | rc=0 >>\n0xffff\n0x8021\n"
        "gpu2 | CHANGED | rc=0 >>\n0xffff\n0x8021\n"
    )
    assert said(ansible) == snapshot(
        [
            "None pkey-value mlx5_0/1/0 = 0xffff",
            "None pkey-value mlx5_0/1/1 = 0x8021",
            "None pkey-value mlx5_0/1/0 = 0xffff",
            "None pkey-value mlx5_0/1/1 = 0x8021",
        ]
    )
    assert found("partition-mismatch", ansible) == []


def test_numbers_below_another_command_are_nobodys() -> None:
    assert said("$ cat /tmp/{a,b}\n0xffff\n0xffff\n") == []
    assert said(f"$ cat {PKEYS}/* | sort | uniq -c\n0xffff\n0xffff\n") == []
    assert said(f"$ cat {PKEYS}/$i\n0xffff\n0xffff\n") == []


@given(
    st.lists(
        st.one_of(
            st.text(max_size=40),
            st.sampled_from(
                [
                    f"$ cat {PKEYS}/*",
                    "0xffff",
                    "== gpu01",
                    "-" * 15,
                    f"$ clush -w n[1-2] cat {PKEYS}/0",
                    "$ cat /sys/class/net/hsn{0..9}/mtu",
                    "9000",
                ]
            ),
        )
    )
)
def test_any_lines_give_a_result(lines: list[str]) -> None:
    assert len(feed(KernelFileSeries, lines)) <= len(lines)


def test_braces_that_stand_for_millions_of_files_are_not_written_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """One line of 70 letters took minutes and gigabytes."""
    made: list[str] = []

    def path_of(path: str) -> None:
        made.append(path)

    monkeypatch.setattr("slowlink.parsers.kernel.kernel_file_series.kernel_path", path_of)
    feed(KernelFileSeries, ["$ cat /sys/class/infiniband/mlx5_{0..500}/ports/{0..500}/pkeys/{0..500}"])
    assert (len(made), made[-1]) == (513, "/sys/class/infiniband/mlx5_0/ports/1/pkeys/11")
