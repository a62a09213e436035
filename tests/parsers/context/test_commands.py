"""Commands: prompts, traces, scripts and prose; launchers, wrappers and the settings that they carry."""

from __future__ import annotations

import re

import pytest
from feeding import feed
from hypothesis import given, settings
from hypothesis import strategies as st

from slowlink.model.job import Command
from slowlink.model.nccl import EnvSetting
from slowlink.model.source import Line
from slowlink.parsers.context.commands import PARSER
from slowlink.parsers.forms.interface import Use


def commands(*lines: str) -> list[Command]:
    return [record for record in feed(PARSER, lines) if isinstance(record, Command)]


def env(*lines: str) -> dict[str, tuple[str, str]]:
    return {
        record.name: (record.value, record.origin) for record in feed(PARSER, lines) if isinstance(record, EnvSetting)
    }


@pytest.mark.parametrize(
    "lead",
    [
        "$ ",
        "root@n1:~/x# ",
        "[root@10-1-2-3 perf]# ",
        "(base) [u@n1 x]$ ",
        "sh-5.1# ",
        "+ ",
        "++ ",
        "    ",
        "# Command: ",
        "user@n1:/a/b$ ",
    ],
)
def test_what_stands_before_a_command(lead: str) -> None:
    (found,) = commands(f"{lead}./build/all_reduce_perf -b 8 -e 1G -g 8")
    assert (found.program, found.argv[1:]) == ("all_reduce_perf", ("-b", "8", "-e", "1G", "-g", "8"))
    assert (found.launcher, found.nranks, found.everywhere) == (None, None, False)


@pytest.mark.parametrize(
    "text, launcher, nranks, per_node, hosts",
    [
        ("mpirun -np 16 -N 8 -H a:8,b:8 ./all_gather_perf -b 8", "mpirun", 16, 8, ("a", "b")),
        (
            "mpirun --np 4 --map-by ppr:2:node --host a,b --mca btl tcp,self ./all_gather_perf",
            "mpirun",
            4,
            2,
            ("a", "b"),
        ),
        ("mpiexec -n 12 -ppn 4 -genv NCCL_DEBUG INFO ./all_gather_perf", "mpiexec", 12, 4, ()),
        ("srun -N2 --ntasks-per-node=4 -w gpu[01-02] ./all_gather_perf -b 8", "srun", 8, 4, ("gpu01", "gpu02")),
        ("srun -n 6 -p batch ./all_gather_perf", "srun", 6, None, ()),
        ("torchrun --nnodes=2 --nproc_per_node=8 all_reduce_bench.py", "torchrun", 16, 8, ()),
        ("python -u -m torch.distributed.run --nproc_per_node=8 all_reduce_bench.py", "torchrun", None, 8, ()),
        ("mpirun -np $NP -H $HOSTS ./all_gather_perf -b 8", "mpirun", None, None, ()),
        ("NCCL_DEBUG=INFO mpirun -np 2 bash -c './all_gather_perf -b 8'", "mpirun", 2, None, ()),
    ],
)
def test_launchers(text: str, launcher: str, nranks: int | None, per_node: int | None, hosts: tuple[str, ...]) -> None:
    (found,) = commands(text)
    assert (found.launcher, found.nranks, found.ranks_per_node, found.hosts) == (launcher, nranks, per_node, hosts)
    assert found.program in ("all_gather_perf", "all_reduce_bench.py")


@pytest.mark.parametrize(
    "text",
    [
        'parallel-ssh -h ~/hosts -t 0 -i "sudo dcgmi diag -r 3"',
        "pdsh -w gpu[01-04] sudo dcgmi diag -r 3",
        "clush -w gpu01,gpu02 -b dcgmi diag -r 3",
        "ansible all -m shell -a 'dcgmi diag -r 3'",
    ],
)
def test_parallel_shells_run_on_all_nodes(text: str) -> None:
    (found,) = commands(text)
    assert (found.program, found.argv[1:], found.everywhere) == ("dcgmi", ("diag", "-r", "3"), True)


def test_continuation_lines_are_one_command() -> None:
    lines = [
        "mpirun \\",
        "    -np 16 \\",
        "    -x NCCL_IB_HCA=mlx5_0,mlx5_1 \\",
        "    -x LD_LIBRARY_PATH \\",
        "    ./x/all_reduce_perf -b 8 -n 100",
        "next",
    ]
    (found,) = commands(*lines)
    assert (found.nranks, found.ref.line, dict(found.env)) == (16, 1, {"NCCL_IB_HCA": "mlx5_0,mlx5_1"})
    assert found.argv == ("./x/all_reduce_perf", "-b", "8", "-n", "100")


def test_line_broken_by_a_terminal() -> None:
    launch = "root@n1:~# mpirun -np 4 -H a:2,b:2 -bind-to none -x NCCL_DEBUG=TRACE --allow-run-as-root"
    text = f"{launch} ./build/alltoall_perf -b 8"
    (found,) = commands(text[:95], text[95:])
    assert (found.program, found.nranks, found.argv[1:]) == ("alltoall_perf", 4, ("-b", "8"))


def test_settings_and_where_they_come_from() -> None:
    assert env("export NCCL_DEBUG=INFO") == {"NCCL_DEBUG": ("INFO", "export")}
    assert env("+ export 'NCCL_NET=AWS Libfabric'") == {"NCCL_NET": ("AWS Libfabric", "export")}
    assert env("NCCL_ALGO=Ring ./all_reduce_perf -b 8") == {"NCCL_ALGO": ("Ring", "command")}
    assert env("-x NCCL_P2P_NET_CHUNKSIZE=$((512*1024)) \\") == {"NCCL_P2P_NET_CHUNKSIZE": ("524288", "command")}
    assert env("srun --export=ALL,NCCL_ALGO=Tree -n 2 ./all_reduce_perf") == {"NCCL_ALGO": ("Tree", "command")}
    assert env("mpiexec -genv NCCL_DEBUG INFO -n 2 ./all_reduce_perf") == {"NCCL_DEBUG": ("INFO", "command")}
    assert env("mpirun -x NCCL_IB_HCA -np 2 ./all_reduce_perf") == {}
    assert env("export NCCL_SOCKET_IFNAME=$(ip route | awk '{print $5}')") == {}


def test_variables_of_a_script_are_followed_as_far_as_they_are_literal() -> None:
    script = """\
PORTS=mlx5_0,mlx5_1
NP=8
NP=$1
NAMES="all_reduce_perf"
OPTS="-x NCCL_IB_HCA=${PORTS} -x NCCL_CROSS_NIC=1"
for BENCH in ${NAMES}; do
${HOME}/bin/mpirun -np ${NP} ${UNKNOWN} ${OPTS} ${DIR}/${BENCH} -b 1K -g 1
done""".splitlines()
    (found,) = commands(*script)
    assert (found.program, found.nranks) == ("all_reduce_perf", None)
    assert dict(found.env) == {"NCCL_IB_HCA": "mlx5_0,mlx5_1", "NCCL_CROSS_NIC": "1"}


@pytest.mark.parametrize(
    "text",
    [
        "mpirun noticed that process rank 1 with PID 7 on node n1 exited on signal 9 (Killed).",
        "mpirun was unable to find the specified executable file, and therefore",
        "all_reduce_perf is the standard benchmark",
        "ib_write_bw measured 392 Gb/s on this rail",
        "srun: error: n1: task 0: Killed",
        "I ran nvbandwidth and dcgmi diag -r 4 (level 4) on the nodes.",
        "  - Isolate by disabling NVLink (NCCL_P2P_DISABLE=1) or IB (NCCL_IB_DISABLE=1).",
        "  • NCCL_IB_DISABLE=1 is set in environment",
        "# Collective test starting: all_reduce_perf",
        "deepspeed ............. True",
        "n1:1:2 [0] NCCL INFO NCCL_DEBUG set by environment to INFO.",
        'echo "run mpirun -np 4 ./all_reduce_perf"',
        "#mpirun -np 4 ./all_reduce_perf -b 8",
        "NCCL_IB_HCAmlx5_0:1 (Select devices)",
    ],
)
def test_sentences_are_no_commands(text: str) -> None:
    assert feed(PARSER, [text]) == []


def test_pipes_and_lists() -> None:
    found = commands("cd /x && mpirun -np 2 ./all_reduce_perf -b 8 2>&1 | tee out.log; ls")
    assert [(one.program, one.argv) for one in found] == [("all_reduce_perf", ("./all_reduce_perf", "-b", "8"))]


def test_other_typed_commands_are_ignored_on_purpose() -> None:
    parser = PARSER()
    assert parser.feed(Line("t", 1, "[root@n1 x]# ls -l /tmp")) is Use.IGNORED
    assert parser.feed(Line("t", 2, "just words")) is Use.NOT_MINE
    assert list(parser.finish()) == []


PIECES = st.sampled_from(
    [
        "mpirun",
        "-np",
        "4",
        "-x",
        "A=1",
        "\\",
        "'",
        '"',
        "$(",
        "${A}",
        "|",
        "&&",
        "./all_reduce_perf",
        "$ ",
        "srun",
        "-w",
        "a[1-9999999]",
        "pdsh",
        "\n",
        "$((1*2))",
        "`",
        ">",
        "-genv",
    ]
)


@given(st.lists(st.one_of(st.text(max_size=40), st.lists(PIECES, max_size=12).map(" ".join))))
@settings(max_examples=150, deadline=None)
def test_no_text_raises(texts: list[str]) -> None:
    assert all(PARSER.wants(text) == PARSER.wants(re.sub(r"\d", "0", text)) for text in texts)
    feed(PARSER, texts)
    parser = PARSER()
    for number, text in enumerate(texts, 1):
        parser.feed(Line("t", number, text))
    assert all(record.ref.line <= len(texts) for record in parser.finish())


@pytest.mark.parametrize(
    "text",
    [
        "mpirun " + "-x A=1 " * 20000,
        "$ mpirun " + "'" * 50001,
        "$ mpirun " + "$(" * 30000,
        '$ mpirun "' + "\\" * 60001,
        "$ srun -w a" + "[1-9]" * 20000,
    ],
)
def test_long_lines_are_read_within_bounds(text: str) -> None:
    assert len(feed(PARSER, [text])) <= 700


def test_hosts_of_a_list_that_is_too_long_are_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not the first of them: their number would be wrong. All lists of an input have a limit together, too."""
    monkeypatch.setattr("slowlink.parsers.context.commands.options.MAX_HOSTS", 3)
    monkeypatch.setattr("slowlink.parsers.context.commands.options.MOST_NAMED", 7)
    lists = ("a[1-3]", "b[1-4]", "a[1-3]", "c1", "a[1-3]")
    found = commands(*(f"srun -w {each} ./all_gather_perf -b 8" for each in lists))
    assert [each.hosts for each in found] == [("a1", "a2", "a3"), (), ("a1", "a2", "a3"), (), ("a1", "a2", "a3")]
