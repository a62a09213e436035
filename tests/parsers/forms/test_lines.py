"""Prefixes of launchers, collectors and quoting, and what must not be taken for one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink.parsers.forms.lines import Dialect, find_prefix, learn_dialect, shape_of
from slowlink.visible import ESCAPES

ROW = "     8388608       2097152     float     sum      -1    112.4   74.63  139.93      0"
HEADER = "# nThread 1 nGpus 1 minBytes 8 maxBytes 134217728 step: 2(factor)"
LOG = "gpu-7:4100:4188 [3] NCCL INFO Using network IB"

# (prefix, rank, host, stream, stamp)
PREFIXES = [
    ("[1,3]<stdout>:", 3, None, "[1,3]<stdout>", None),
    ("[1,3]<stderr>:", 3, None, "[1,3]<stderr>", None),
    ("[prterun-head-4242@1,12]<stdout>: ", 12, None, "[prterun-head-4242@1,12]<stdout>", None),
    ("[1,2][gpu-7:991]<stdout>:", 2, "gpu-7", "[1,2][gpu-7:991]<stdout>", None),
    ("Sat Nov 21 16:00:00 2026[1,5]<stdout>:", 5, None, "[1,5]<stdout>", "Sat Nov 21 16:00:00 2026"),
    ("Sat Nov 21 16:00:00 2026<stdout>:", None, None, "", "Sat Nov 21 16:00:00 2026"),
    ("[4]<stdout>:", 4, None, "[4]<stdout>", None),
    ("3: ", 3, None, "3", None),
    (" 03: ", 3, None, "03", None),
    ("gpu-7: ", None, "gpu-7", "gpu-7", None),
    ("10-0-1-7: ", None, "10-0-1-7", "10-0-1-7", None),
    ("[pod/bench-worker-0/main] ", None, "bench-worker-0", "bench-worker-0/main", None),
    ("2026-11-21T16:00:00.123456789Z ", None, None, "", "2026-11-21T16:00:00.123456789Z"),
    ("2026-11-21T16:00:00+09:00 ", None, None, "", "2026-11-21T16:00:00+09:00"),
    ("2026-11-21T16:00:00.1Z stdout F ", None, None, "", "2026-11-21T16:00:00.1Z"),
    ("worker-1  | ", None, "worker-1", "worker-1", None),
    ("job-77.log:", None, None, "job-77.log", None),
    ("logs/job.out:123:", None, None, "logs/job.out", None),
    ("> ", None, None, "", None),
    ("> > ", None, None, "", None),
    ("[rank5]: ", 5, None, "[rank5]", None),
    ("[default0]:", None, None, "[default0]", None),
    ("Nov 21 16:00:00 gpu-7 job[88]: ", None, "gpu-7", "gpu-7", "Nov 21 16:00:00"),
    ("2026-11-21T16:00:00Z [1,6]<stdout>:", 6, None, "[1,6]<stdout>", "2026-11-21T16:00:00Z"),
    ("gpu-7: 2: ", 2, "gpu-7", "gpu-7 2", None),
    (
        "[pod/w-0/c] 2026-11-21T16:00:00Z [1,6]<stdout>:",
        6,
        "w-0",
        "w-0/c [1,6]<stdout>",
        "2026-11-21T16:00:00Z",
    ),
]


@pytest.mark.parametrize("text", [ROW, HEADER, LOG])
@pytest.mark.parametrize(("prefix", "rank", "host", "stream", "stamp"), PREFIXES)
def test_a_prefix_comes_off_and_its_parts_are_kept(
    prefix: str, rank: int | None, host: str | None, stream: str, stamp: str | None, text: str
) -> None:
    line = prefix + text
    found = find_prefix(line, Dialect())
    assert line[found.cut :].lstrip() == text.lstrip()
    assert (int(line[found.rank]) if found.rank else None) == rank
    assert (line[found.host] if found.host else None) == host
    assert found.stream_of(line) == stream
    assert (line[found.stamp] if found.stamp else None) == stamp


@pytest.mark.parametrize(
    "line",
    [
        ROW,
        HEADER,
        LOG,
        "10-0-1-7:123:456 [0] NCCL INFO Using network IB",
        "#  Rank  0 Group  0 Pid    123 on 10-7-96-17 device  0 [0x1b] NVIDIA H100",
        "Note: the numbers below are averages",
        "error: unable to open the file",
        "[0] NCCL is initialised",
        "    0.52    0.93      0",
        "|  0   N/A  N/A |",
        "mlx5_0 | ACTIVE",
        "value >= 3",
        ">= 3",
        "17: an item of a list",
        "transport/net_ib.cc:1295 NCCL WARN odd",
        "",
    ],
)
def test_what_is_no_prefix_stays(line: str) -> None:
    assert find_prefix(line, Dialect()).cut == 0


def test_numbers_that_repeat_are_ranks() -> None:
    dialect = learn_dialect([f"{rank}: words" for rank in (0, 1, 1, 0)])
    assert dialect.numbers == "rank"
    found = find_prefix("1: any words", dialect)
    assert (found.cut, found.rank) == (3, slice(0, 1))


def test_numbers_that_count_up_from_one_are_lines_of_grep() -> None:
    for lines in (["3:# nThread 1", "9:   8388608 2097152 float"], ["12:   1", "13:   2", "20:   3"]):
        dialect = learn_dialect(lines)
        assert dialect.numbers == "line"
        found = find_prefix("41:" + ROW, dialect)
        assert ("41:" + ROW)[found.cut :].lstrip() == ROW.lstrip()
        assert (found.rank, found.streams) == (None, ())


@pytest.mark.parametrize(
    "lines",
    [
        [f" {hour:02}:11:23 up 12 days,  3:02,  2 users,  load average: 0.10, 0.05, 0.01" for hour in (7, 8, 9)],
        [f"23:55:0{second}.7 grinder: wheel {second} turns" for second in range(1, 6)],
        ["9:05:11 first", "9:05:12 second"],
    ],
)
def test_a_time_of_day_is_neither_a_line_nor_a_rank(lines: list[str]) -> None:
    dialect = learn_dialect(lines)
    assert [find_prefix(line, dialect).cut for line in lines] == [len(dialect.indent)] * len(lines)


def test_a_time_of_day_behind_the_number_of_a_line_stays() -> None:
    lines = [f"{number}:23:55:02.7 grinder turns" for number in range(9, 13)]
    assert [line[find_prefix(line, learn_dialect(lines)).cut :] for line in lines] == ["23:55:02.7 grinder turns"] * 4


def test_a_word_is_a_host_where_tool_output_follows_it() -> None:
    lines = ["gpu-1: " + HEADER, "gpu-2: hello", "gpu-3: hello", "Note: hello", "Note: hello", "Note: hello"]
    dialect = learn_dialect(lines)
    assert find_prefix("gpu-9: hello", dialect).host == slice(0, 5)
    assert find_prefix("Note: hello", dialect).cut == 0


@pytest.mark.parametrize("prefix", ["[3] ", "worker-1  | "])
def test_the_rest_of_a_torn_row_loses_the_prefix_that_the_table_has(prefix: str) -> None:
    torn = prefix + "   80.98  103.59  103.59      0"
    assert find_prefix(torn, Dialect()).cut < len(prefix)
    dialect = learn_dialect([prefix + HEADER, prefix + ROW, torn])
    assert find_prefix(torn, dialect).cut == len(prefix)


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("Nov 21 16:00:00 gpu-7 job[88]:    80.98  103.59", "   80.98  103.59"),
        ("Okt  1 16:00:00.123456 gpu-7 python3[88]: step 4", "step 4"),
        ("11月 21 16:00:00 gpu-7 python3[88]: step 4", "step 4"),
        ("2026-11-21T16:00:00+0100 gpu-7 mpirun[88]: step 4", "step 4"),
        ("Nov 21 16:00:00 gpu-7 kernel: NVRM: Xid", "kernel: NVRM: Xid"),
        ("Nov 21 16:00:00 gpu-7 nv-fabricmanager[9]: failed", "nv-fabricmanager[9]: failed"),
        ("2026-11-21T16:00:00Z slurmd-1 slurmstepd[9]: error: x", "slurmstepd[9]: error: x"),
        ('2026-11-21T16:00:00Z {app="a b", pod="p-0"} step 4', "step 4"),
    ],
)
def test_the_journal_names_a_program_that_is_no_part_of_its_output(text: str, rest: str) -> None:
    assert text[find_prefix(text, Dialect()).cut :] == rest


def test_what_stands_before_every_line_of_a_paste() -> None:
    indented = ["    hca_id: mlx5_0", "        transport: InfiniBand", "    hca_id: mlx5_1"]
    assert learn_dialect(indented).indent == "    "
    assert learn_dialect([*indented, "not this one"]).indent == ""
    numbered = [f"{number:6}\t{text}".rstrip() for number, text in enumerate(["one", "", "three", "four"], 1)]
    dialect = learn_dialect(numbered)
    assert [line[find_prefix(line, dialect).cut :] for line in numbered] == ["one", "", "three", "four"]
    assert not learn_dialect([*numbered, "     9\tnine"]).gutter


def test_a_name_with_a_number_before_every_line_is_a_host() -> None:
    lines = ["gpu-01: a", "gpu-02: b", "gpu-01: c"]
    assert find_prefix("gpu-03: d", learn_dialect(lines)).host == slice(0, 6)
    assert find_prefix("gpu-03: d", learn_dialect([*lines, "and this"])).cut == 0
    assert find_prefix("mlx5_0: d", learn_dialect(["mlx5_0: a", "mlx5_0: b", "mlx5_1: c"])).cut == 0


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("\x1b[32mgreen\x1b[0m", "green"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]0;NVRM: Xid (PCI:0000:3b:00): 79", "NVRM: Xid (PCI:0000:3b:00): 79"),
        ("\x1b]a\x1b]0;b\x1b[0m", "ab"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b[1;31;48:2::1:2:3mred\x1b[K", "red"),
        ("\x1b(Btext", "text"),
        ("\x1b7\x1b=text", "text"),
    ],
)
def test_control_sequences_go(text: str, clean: str) -> None:
    assert ESCAPES.sub("", text) == clean


@given(st.text(st.sampled_from("0129:-[]<>|#. aNCL,/{}@\t")) | st.text())
def test_a_prefix_depends_on_the_shape_only(line: str) -> None:
    for dialect in (Dialect(), Dialect("rank"), Dialect("line", frozenset({b"a", b"N-0"}))):
        found = find_prefix(line, dialect)
        assert found == find_prefix(shape_of(line).decode(), dialect)
        assert 0 <= found.cut <= len(line)


@given(st.lists(st.text()))
def test_any_lines_have_a_dialect(lines: list[str]) -> None:
    assert learn_dialect(lines).numbers in ("", "rank", "line")


def test_a_command_that_asks_many_hosts_makes_names_before_lines_hosts() -> None:
    answers = ["gn01: No current active profile.", "gn02: No current active profile."]
    asked = learn_dialect(["$ pdsh -w gn[01-02] tuned-adm active", *answers])
    assert find_prefix(answers[0], asked).host == slice(0, 4)
    assert find_prefix(answers[0], learn_dialect(["$ ./tune.sh", *answers])).cut == 0


def test_a_remark_between_what_hosts_say_leaves_their_names() -> None:
    answers = [f"gn0{node}: {line}" for node in (1, 2, 3) for line in ("$ mill --show", "grain: rye", "speed: 4")]
    for remark in ("# the third one was ground last", "$ less mill.txt", "-----"):
        assert find_prefix(answers[4], learn_dialect([*answers, remark])).host == slice(0, 4), remark
    assert find_prefix(answers[4], learn_dialect([*answers, "rye: 3"])).cut == 0
    assert find_prefix(answers[4], learn_dialect([*answers[:4], "# one", "# two"])).cut == 0
