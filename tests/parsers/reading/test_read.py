"""Any source to records: every line accounted for, whatever surrounds, cuts or mixes the lines."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from toy_format import ToyDocument, ToyRows

from slowlink.inputs import Input, open_inputs
from slowlink.model.records import Records
from slowlink.model.source import SourceStats
from slowlink.parsers.forms.lines import Dialect, learn_dialect
from slowlink.parsers.reading import chunks as parts
from slowlink.parsers.reading import read, scan, side_by_side, source, workers
from slowlink.parsers.reading.leads import before_nccl
from slowlink.parsers.reading.plain_lines import lines_of

LOG = "gpu-7:4100:4188 [3] NCCL INFO Using network IB"
ALPHABET = [
    "8 2 float -1 5",
    "16 4 float -1",
    "77",
    "words of prose",
    "Note: something",
    "",
    LOG,
    "gpu-8:1:2 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.1<0>",
    "gpu-8:1:2 [0] transport/net_ib.cc:99 NCCL WARN NET/IB : Got completion from peer 10.0.0.2<1> with error 12",
    "16 4 float -1" + LOG,
    "10%\r20%\r100%",
    '{"toy": 1}',
    "{",
    '  "toy": [1, 2]',
    "}",
    '{"log": "8 2 float -1 9\\n", "stream": "stdout", "time": "2026-11-21T16:00:00Z"}',
    "\x1b[32m8 2 float -1 6\x1b[0m",
]
PREFIXES = ["[1,3]<stdout>:", "gpu-1: ", "[pod/w-0/c] ", "2026-11-21T16:00:00Z ", "> ", "[rank2]: "]


@pytest.fixture(autouse=True)
def _toys(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (source, scan):
        monkeypatch.setattr(module, "line_parsers", lambda: (ToyRows,))
        monkeypatch.setattr(module, "document_parsers", lambda: (ToyDocument,))


def read_bytes(data: bytes, piece: int = 1 << 16, name: str = "s") -> Records:
    pieces = (data[at : at + piece] for at in range(0, len(data), piece))
    return read.read([Input(name, len(data), pieces)])


def read_lines(lines: list[str]) -> Records:
    return read_bytes("".join(f"{line}\n" for line in lines).encode())


def values(records: Records) -> list[str]:
    return [found.value for found in records.observations]


def only_source(records: Records) -> SourceStats:
    (source,) = records.sources
    assert source.used + source.ignored + source.unread == source.lines
    return source


def test_lines_are_counted_by_what_became_of_them() -> None:
    source = only_source(read_lines(["words", "", "8 2 float -1 5", LOG, "other words"]))
    assert (source.lines, source.used, source.ignored, source.unread) == (5, 2, 1, 2)
    assert [(ref.line, ref.text) for ref in source.unread_samples] == [(1, "words"), (5, "other words")]
    assert source.kinds == ("toy", "nccl-log")


def test_a_row_knows_the_line_above_it() -> None:
    records = read_lines(["Run A", "", "8 2 float -1 5", "8 2 float -1 6", "Run B", LOG, "8 2 float -1 7"])
    assert [found.subject for found in records.observations] == ["|None|Run A", "|None|", "|None|Run B"]


def test_a_torn_row_and_the_log_line_glued_to_it_are_both_read() -> None:
    records = read_lines(["16 4 float -1" + LOG, LOG, LOG, "77", "8 2 float -1 5"])
    assert values(records) == ["77", "5"]
    assert sum(log.lines for log in records.logs) == 3
    source = only_source(records)
    assert (source.used, source.unread) == (5, 0)


def test_a_root_of_minus_one_is_not_part_of_the_host() -> None:
    lead = before_nccl.read_lead("   8388608   2097152  float  sum  -1gpu-7:4100:4188 [3]", Dialect())
    assert lead.prefix == "gpu-7:4100:4188 [3]"


def test_hosts_that_begin_with_a_digit_keep_their_name() -> None:
    for line in ("10-0-1-7:123:456 [0]", "3d3e22c3066f:168:168 [0] misc/shmutils.cc:72"):
        assert before_nccl.read_lead(line, Dialect()).prefix == line
        assert before_nccl.read_lead(f"> {line}", Dialect()).prefix == line
    lead = before_nccl.read_lead("2026-11-21T16:00:00Z 5: 10-0-1-7:123:456 [0]", Dialect())
    assert (lead.prefix, lead.rank) == ("10-0-1-7:123:456 [0]", 5)


def test_a_time_of_day_is_no_process() -> None:
    for before in ("Nov 21 16:00:00", "2026-11-21T16:00:00", "[16:00:00"):
        assert before_nccl.read_lead(before, Dialect()).prefix == ""
    assert before_nccl.read_lead("Nov 21 16:00:00 gpu-7:1:2 [0]", Dialect()).prefix == "gpu-7:1:2 [0]"


def test_blank_lines_behind_a_prefix_are_blank() -> None:
    assert only_source(read_lines(["[1,0]<stdout>:", "2026-11-21T16:00:00Z", "[pod/a/b]", ">"])).ignored == 4


def test_streams_are_read_apart() -> None:
    torn = ["[1,0]<stdout>:16 4 float -1", "[1,1]<stdout>:32 8 float -1", "[1,0]<stdout>:50", "[1,1]<stdout>:51"]
    assert sorted((found.ref.line, found.value) for found in read_lines(torn).observations) == [
        (1, "50"),
        (2, "51"),
    ]


def test_prefixes_give_rank_and_host() -> None:
    records = read_lines(["[pod/w-0/c] 2026-11-21T16:00:00Z [1,3]<stdout>:8 2 float -1 5"])
    (found,) = records.observations
    assert (found.host, found.subject) == ("w-0", "w-0/c [1,3]<stdout>|3|")


def test_numbers_of_grep_are_neither_rank_nor_stream() -> None:
    records = read_lines(["3:words", "10:16 4 float -1", "11:77", "12:8 2 float -1 5"])
    assert [found.subject for found in records.observations] == ["|None|words", "|None|"]


def test_a_json_log_record_is_read_through() -> None:
    record = '{"log": "[1,4]<stdout>:8 2 float -1 5\\n", "stream": "stdout", "time": "2026-11-21T16:00:00Z"}'
    logged = '{"log": "LOG\\n", "stream": "stderr", "time": "2026"}'.replace("LOG", LOG)
    records = read_lines([record, logged])
    assert [found.subject for found in records.observations] == ["stdout [1,4]<stdout>|4|"]
    assert records.logs[0].lines == 1
    assert only_source(records).used == 2


def test_progress_bars_are_one_line_of_several_parts() -> None:
    records = read_lines(["1%\r50%\r8 2 float -1 5\r100%"])
    assert values(records) == ["5"]
    assert only_source(records).lines == 1


def test_windows_line_ends_and_old_ones() -> None:
    assert values(read_bytes(b"8 2 float -1 5\r\n8 2 float -1 6\r\n")) == ["5", "6"]
    assert values(read_bytes(b"8 2 float -1 5\r8 2 float -1 6\r")) == ["5", "6"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"toy": 1}', {"toy": 1}),
        ('{\n  "toy": [\n    1,\n    2\n  ]\n}\n', {"toy": [1, 2]}),
        ('{"toy": [1, 2,], }', {"toy": [1, 2]}),
        ('{"toy": [1, 2, {"a": "b', {"toy": [1, 2, {}], "__truncated__": True}),
        ('{"toy": 1, "b', {"toy": 1, "__truncated__": True}),
        ('words\n  {\n    "toy": 3\n  }\nwords\n', {"toy": 3}),
        ('[1,0]<stdout>:{\n[1,0]<stdout>:  "toy": 3\n[1,0]<stdout>:}\n', {"toy": 3}),
    ],
)
def test_json_values_are_found(text: str, value: object) -> None:
    records = read_bytes(text.encode())
    assert values(records) == [repr(value)]
    assert only_source(records).used == text.strip("\n").count("\n") + 1 - text.count("words")


def test_a_brace_that_opens_nothing_takes_no_value_with_it() -> None:
    assert values(read_bytes(b'{\n{"toy": 4}\n{\n{\n{"toy": 5}\n')) == [repr({"toy": 4}), repr({"toy": 5})]


def test_a_json_value_larger_than_a_part_stays_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "PART_BYTES", 64)
    value = {"toy": list(range(500))}
    text = "words\n" + repr(value).replace("'", '"').replace(", ", ",\n") + "\n8 2 float -1 5\n"
    records = read_bytes(text.encode(), piece=50)
    assert values(records) == [repr(value), "5"]


def test_braces_that_are_not_json_cost_nothing_and_lose_nothing() -> None:
    source = only_source(read_lines(["{", "{"] * 300 + ['{"a": ['] * 300 + ["8 2 float -1 5"]))
    assert source.used == 1


@given(st.binary(max_size=400))
@example(b"\0")
def test_any_bytes_are_accounted_for(data: bytes) -> None:
    source = only_source(read_bytes(data))
    assert source.lines == data.count(b"\n") + (not data.endswith(b"\n") and bool(data))


lines_of_all_kinds = st.lists(st.sampled_from(ALPHABET) | st.text(max_size=30), max_size=40)


@given(lines_of_all_kinds)
def test_any_mixture_is_accounted_for(lines: list[str]) -> None:
    only_source(read_lines(lines))


@example(lines=["{", '  "toy": [1, 2]', LOG], part=1, piece=1)
@settings(deadline=None)
@given(lines_of_all_kinds, st.integers(1, 300), st.integers(1, 100))
def test_parts_and_pieces_make_no_difference(lines: list[str], part: int, piece: int) -> None:
    data = "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")
    whole = read_bytes(data)

    def small(chunks: Iterator[bytes]) -> Iterator[bytes]:
        return parts.parts(chunks, part)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(read, "parts", small)
        # The dialect is learnt from the first part; here it is that of the whole.
        dialect = learn_dialect(lines_of(data))
        patch.setattr(workers, "learn_dialect", lambda _: dialect)
        cut = read_bytes(data, piece)
    assert cut == whole


@given(st.lists(st.sampled_from(["8 2 float -1 5", "16 4 float -1", "77", LOG, "words"]), max_size=20))
def test_a_prefix_on_every_line_loses_nothing(lines: list[str]) -> None:
    plain = read_lines(lines)
    for prefix in PREFIXES:
        prefixed = read_lines([prefix + line for line in lines])
        if prefix == "gpu-1: " and "77" in lines and "8 2 float -1 5" not in lines:
            continue  # a word and a number alone are no reason to believe in a host
        assert values(prefixed) == values(plain)
        assert sum(log.lines for log in prefixed.logs) == sum(log.lines for log in plain.logs)


row_lines = st.lists(st.sampled_from(["8 2 float -1 5", "16 4 float -1", "77", "words"]), max_size=12)


@given(row_lines, row_lines, st.randoms(use_true_random=False))
def test_two_streams_side_by_side_are_read_as_if_alone(left: list[str], right: list[str], random: object) -> None:
    queues = [[f"[1,0]<stdout>:{line}" for line in left], [f"[1,1]<stdout>:{line}" for line in right]]
    mixed = []
    while any(queues):
        queue = random.choice([queue for queue in queues if queue])  # type: ignore[attr-defined]
        mixed.append(queue.pop(0))
    found = read_lines(mixed).observations
    for rank, lines in enumerate((left, right)):
        alone = values(read_lines(lines))
        assert [one.value for one in found if one.subject.startswith(f"[1,{rank}]")] == alone


def test_packing_makes_no_difference(tmp_path: Path) -> None:
    data = "".join(f"{line}\n" for line in ALPHABET).encode()
    plain = read_bytes(data, name="x")
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        member = tarfile.TarInfo("x.log")
        member.size = len(data)
        archive.addfile(member, io.BytesIO(data))
    (tmp_path / "t").write_bytes(out.getvalue())
    (tmp_path / "g").write_bytes(gzip.compress(data))
    with zipfile.ZipFile(tmp_path / "z", "w") as zipped:
        zipped.writestr("x.log", data)
    for name in "tgz":
        records = read.read(open_inputs([str(tmp_path / name)]))
        assert values(records)[:-1] == values(plain)[:-1]
        assert [log.lines for log in records.logs] == [log.lines for log in plain.logs]
        assert only_source(records).unread == only_source(plain).unread


def test_several_processes_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "PART_BYTES", 512)
    monkeypatch.setattr(side_by_side, "LARGE_BYTES", 0)
    data = "".join(f"{line}\n" for line in ALPHABET * 50).encode()

    def records(workers: int) -> Records:
        return read.read([Input("s", len(data), [data[at : at + 100] for at in range(0, len(data), 100)])], workers)

    assert records(2) == records(1)


def test_overlong_lines_are_cut_and_do_not_fill_memory() -> None:
    def endless() -> Iterator[bytes]:
        for _ in range(200):
            yield b"x" * (1 << 20)
        yield b"\n8 2 float -1 5\n"

    assert max(len(piece) for piece in parts.parts(parts.BoundLines(endless()))) <= 3 * parts.MAX_LINE_BYTES
    source = only_source(read.read([Input("s", None, endless())]))
    assert (source.lines, source.used, source.partial) == (2, 1, True)
    assert source.problem == "holds a line of more than 256 KiB; 209,453,056 bytes at its end were not read"


def test_a_document_may_keep_a_whole_output_in_one_line() -> None:
    text = '{"before": 1,\n"toy": "' + "x" * (3 * parts.MAX_LINE_BYTES) + '"}\n'
    source = only_source(read_bytes(text.encode(), piece=100_000))
    assert (source.lines, source.used, source.partial) == (2, 2, False)


@settings(deadline=None)
@given(st.lists(st.integers(0, 3 << 17), min_size=1, max_size=6), st.integers(1000, 1 << 20))
def test_what_is_cut_off_lines_is_counted(lengths: list[int], piece: int) -> None:
    data = b"\n".join(b"x" * length for length in lengths)
    bound = parts.BoundLines(data[at : at + piece] for at in range(0, len(data), piece))
    kept = b"".join(bound)
    assert [len(line) for line in kept.split(b"\n")] == [min(length, parts.MAX_LINE_BYTES) for length in lengths]
    assert bound.left_out == len(data) - len(kept)
