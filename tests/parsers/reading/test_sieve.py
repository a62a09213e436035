"""What the sieve in machine code keeps from the scan changes nothing: both ways give the same."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink import parsers
from slowlink.model.source import Line
from slowlink.parsers import line_parsers
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.lines import Dialect, learn_dialect
from slowlink.parsers.nccl.nccl_log.fold import NcclFold
from slowlink.parsers.nccl.nccl_log.native_rows import NativeRows
from slowlink.parsers.nccl.nccl_log.rows import native
from slowlink.parsers.reading import scan, sieve
from slowlink.parsers.reading.once import refusals
from slowlink.parsers.reading.plain_lines import lines_of
from slowlink.parsers.reading.rows.row_runs import RowStretch
from slowlink.parsers.reading.scan import Scanner
from slowlink.parsers.reading.scanned import Candidate, Scanned
from slowlink.parsers.reading.streams import behind_lead

pytestmark = pytest.mark.skipif(native is None, reason="the sieve is not built here: make native")

TESTS = Path(__file__).resolve().parents[2]
DEMO = TESTS.parent / "demo" / "logs"
LOGS = sorted(path for folder in (DEMO, TESTS / "golden") for path in folder.rglob("*") if path.is_file())
WORDS = (
    "step",
    "loader",
    "shard",
    "ok",
    "failed",
    "node",
    "gpu",
    "flush",
    "took",
    "0.25",
    "17",
    "-3",
    "id=3b5f",
    "INFO",
)


@cache
def known_lines() -> list[bytes]:
    """Lines of our tests' logs, and of what our sources say that tools print."""
    sources = Path(parsers.__file__).parent.rglob("*.py")
    return sorted({line for path in (*LOGS, *sources) for line in path.read_bytes().split(b"\n")})


def by_python(chunks: list[bytes], dialect: Dialect) -> tuple[list[Scanned], object]:
    return scanned(chunks, dialect, with_sieve=False)


def by_sieve(chunks: list[bytes], dialect: Dialect) -> tuple[list[Scanned], object]:
    return scanned(chunks, dialect, with_sieve=True)


def scanned(chunks: list[bytes], dialect: Dialect, with_sieve: bool) -> tuple[list[Scanned], object]:
    refusals._OF.clear()  # what was refused before, in another test or the other way, is not asked again
    scanner, fold, line, found = Scanner("a.log", dialect), NcclFold(), 1, []
    for chunk in chunks:
        found.append(scanner.scan(chunk, line, fold, None if with_sieve else lines_of(chunk)))
        line += chunk.count(b"\n")
    for later in found[1:]:  # where NCCL's lines begin is asked of the first part that has any
        later.logged = 0 if found[0].logged else later.logged
    return found, fold.result("a.log")


def parts_of(data: bytes) -> list[bytes]:
    """Two parts, cut at the end of a line."""
    cut = data.find(b"\n", len(data) // 2) + 1
    return [data[:cut], data[cut:]] if 0 < cut < len(data) else [data]


def assert_alike(data: bytes) -> None:
    chunks = parts_of(data)
    dialect = learn_dialect(lines_of(chunks[0]))
    (sifted, folded), (plain, expected) = by_sieve(chunks, dialect), by_python(chunks, dialect)
    for mine, other in zip(sifted, plain, strict=True):
        written_out(mine)
        leave_out_shut(mine, other)
        leave_out_refusing(mine, other)
    assert (sifted, folded) == (plain, expected)


def leave_out_shut(sifted: Scanned, plain: Scanned) -> None:
    """Lines for which the gates of parsers that are never greedy are shut: these want them and make nothing of them, so
    that they end as unread, whether the sieve or the parser says so."""
    kept = {candidate.line.no: candidate for candidate in sifted.candidates}
    shut = {one.line.no: one.line for one in plain.candidates if one.line.no not in kept and makes_nothing(one)}
    plain.candidates = [one for one in plain.candidates if one.line.no not in shut]
    plain.unread += len(shut)
    for line in shut.values():
        plain.last_text[line.stream] = max(plain.last_text.get(line.stream, (0, "")), (line.no, line.text))
    for one in plain.candidates:
        mine = kept.get(one.line.no)
        if mine is not None and mine.before_no in shut:
            one.before_no, one.line.before = mine.before_no, mine.line.before


def leave_out_refusing(sifted: Scanned, plain: Scanned) -> None:
    """Parsers that are never greedy and take nothing of a line: they need not be asked."""
    for mine, other in zip(sifted.candidates, plain.candidates, strict=False):
        other.wanted_by = asked(mine.wanted_by, other.wanted_by, other.line)
        behind = {each.lead.end: each.wanted_by for each in mine.behind}
        other.behind = tuple(
            each._replace(
                wanted_by=asked(behind.get(each.lead.end, ()), each.wanted_by, behind_lead(each.lead, other.line))
            )
            for each in other.behind
        )


def asked(mine: tuple[int, ...], others: tuple[int, ...], line: Line) -> tuple[int, ...]:
    """``others`` without those that are not in ``mine`` and take nothing of the line."""
    return tuple(index for index in others if index in mine or not refuses(line_parsers()[index], line))


def refuses(unit: Any, line: Line) -> bool:
    return unit.lone and unit().feed(line) is Use.NOT_MINE


def makes_nothing(candidate: Candidate) -> bool:
    """Is it of lone parsers alone, and nothing to any of them?"""
    units = [line_parsers()[index] for index in candidate.wanted_by]
    return candidate.lone and all(unit().feed(candidate.line) is Use.NOT_MINE for unit in units)


def written_out(scanned: Scanned) -> None:
    """Rows as the lines that they are."""
    candidates: list[Candidate] = []
    for each in scanned.candidates:
        candidates += each.candidates() if isinstance(each, RowStretch) else [each]
    for candidate in candidates:
        candidate.refusing = None
    scanned.candidates = candidates


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name)
def test_logs_are_read_alike(path: Path) -> None:
    assert_alike(path.read_bytes())


@pytest.mark.parametrize("seed", range(20))
def test_an_application_between_lines_of_all_tools_is_read_alike(seed: int) -> None:
    random = Random(seed)
    lines = [random.choice(known_lines()) for _ in range(300)]
    for at in range(0, 3000, 3):
        stamp = f"2026-11-01 10:{at % 60:02d}:00,123 " if seed % 2 else ""
        text = " ".join(random.choice(WORDS) for _ in range(random.randint(1, 12)))
        lines.insert(random.randint(0, len(lines)), f"{stamp}{text}".encode())
    assert_alike(b"\n".join(lines))


LEADS = (
    b"INFO:root:",
    b"I1101 12:00:00.123456 4711 run.cc:12] ",
    b"2026-11-01 12:00:00.123 | INFO     | a:run:12 - ",
    b"[train-0 main] ",
    b"app-1  | ",
    b"gpu07: ",
    b"  * ",
)
some_line = st.one_of(
    st.deferred(lambda: st.sampled_from(known_lines())),
    st.builds(bytes.__add__, st.sampled_from(LEADS), st.deferred(lambda: st.sampled_from(known_lines()))),
    st.lists(st.sampled_from(WORDS), max_size=6).map(lambda words: " ".join(words).encode()),
    st.sampled_from(
        [
            *(
                b"",
                b" ",
                b"{",
                b'{"a": 1}',
                b"2026-11-01 10:00:00 ",
                b"[2026-11-01T10:00:00Z] a b",
                b"\x1b[1mbold\x1b[0m",
            ),
            *(b"a\x00b", b"bar 1\rbar 2", b"\xff\xfe", "größe 3".encode(), b"\x1b[0m", b"  indented words"),
            *(b"n1:10:11 [0] NCCL INFO NET/IB : No device found.", b"n1:10:11 [0] NCCL INFO Channel 00/02 :    0   1"),
            *(b"host7: some words", b"12: some words", b"INFO: # comment", b"Mon Nov  2 10:00:00 2026[1,0]<stdout>:a"),
        ]
    ),
    st.binary(max_size=30).map(lambda some: some.replace(b"\n", b"")),
)


@given(st.lists(some_line, max_size=60), st.sampled_from([b"\n", b"\r\n"]))
def test_any_lines_are_read_alike(lines: list[bytes], end: bytes) -> None:
    assert_alike(end.join(lines))


@given(st.lists(some_line, max_size=30), st.sampled_from(["", "rank", "line"]), st.integers(0, 5))
def test_in_any_dialect(lines: list[bytes], numbers: str, after: int) -> None:
    dialect = Dialect(numbers=numbers, tags=frozenset({b"host0:"}), after=after)
    chunks = parts_of(b"\n".join(lines))
    assert by_sieve(chunks, dialect) == by_python(chunks, dialect)


HOSTS = (
    *(
        b"Nov 29 10:00:01 gpu001 ",
        b"Nov  3 10:00:02.123456 gpu002 ",
        b"Dec 3 10:00:03 n-1.site ",
        b"Okt. 3 10:00:03 a ",
    ),
    *(b"Mai 29 10:00:0 x ", b"Nov 29 10:00:01 gpu001 2026-11-29 10:00:01 ", b"  Nov 29 10:00:01 gpu001 "),
)
SAID_BY = (
    *(b"sshd[41]: ", b"kernel: ", b"kernel: [   12.345678] ", b"train[7]: ", b"my-daemon[8]: ", b"a/b.c@1[3]: "),
    *(b"odd: ", b"", b"train[7]:", b"train[77777777777]: ", b"gpu003 train[7]: "),
)
any_words = st.text("abcdefgABC 0123456789:[]()=./-", max_size=60).map(str.encode)
journal_line = st.builds(
    lambda *parts: b"".join(parts), st.sampled_from(HOSTS), st.sampled_from(SAID_BY), st.one_of(any_words, some_line)
)


@given(st.lists(st.one_of(journal_line, journal_line, some_line), max_size=60))
def test_journals_are_read_alike(lines: list[bytes]) -> None:
    assert_alike(b"\n".join(lines))


@pytest.mark.parametrize("seed", range(8))
def test_a_journal_whose_lines_never_repeat_is_read_alike(seed: int) -> None:
    random = Random(seed)
    lines = []
    for _ in range(2000):
        words = " ".join(f"{random.getrandbits(60):x}" for _ in range(random.randint(1, 4))).encode()
        said = random.choice(known_lines()) if random.random() < 0.02 else b"Accepted publickey for root " + words
        lines.append(random.choice(HOSTS[:4]) + random.choice(SAID_BY[:5]) + said)
    assert_alike(b"\n".join(lines))


def test_what_is_nobodys_in_a_journal_is_kept_from_the_scan() -> None:
    made = sieve.sieve_for(line_parsers(), Dialect())
    sshd = b"Nov 29 10:00:01 gpu001 sshd[41]: Accepted publickey for root from 10.0.1.1 port 42617 ssh2: %s SHA256:%s\n"
    text = (
        sshd % (b"RSA", b"aXbYcZ") + b"Nov 29 10:00:01 gpu001 run[7]: mpirun -n 8 a.out\n" + sshd % (b"DSA", b"dXeYfZ")
    )
    assert sifted(made, text)[0] == bytes([sieve.HOSTED, sieve.ASK, sieve.HOSTED])


def sifted(made: Any, part: bytes) -> Any:
    return sieve.sift_into(made, part, NativeRows(native))


def test_an_application_is_kept_from_the_scan() -> None:
    made = sieve.sieve_for(line_parsers(), Dialect())
    text = b"we had 3 cats\n\nwe had 4 cats\n2026-11-01 10:00:00 other words\nmpirun -n 8\n"
    codes, starts, *_ = sifted(made, text)
    assert codes == bytes([4, sieve.BLANK, 4, 5, sieve.ASK])
    assert list(memoryview(starts).cast("I")) == [0, 14, 15, 29, 61, 73]


def test_the_comparison_sees_what_the_sieve_should_not_have_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    class Greedy:
        def sift(self, part: bytes, table: Any) -> tuple[bytes, ...]:
            codes, *rest = sieve.sieve_for(line_parsers(), Dialect()).sift(part, table)
            return codes.replace(bytes([sieve.ASK]), bytes([sieve.OTHER_SHAPE])), *rest

    monkeypatch.setattr(scan, "sieve_for", lambda *_: Greedy())
    with pytest.raises(AssertionError):
        assert_alike(
            b"".join(b"we had %s\n" % (b"a" * number) for number in range(1, 80)) + b"mpirun -n 8 all_reduce_perf\n"
        )


channel_line = st.builds(
    "{}n{}:10:{}{} {}CCL INFO Channel {:02d}{} : {}[{}] -> {}[1b000]{} via {}{}".format,
    st.sampled_from(["", "", "", "2026-11-01 10:00:00 ", "[0] ", "n9: ", "7 ", "  "]),
    st.integers(1, 2),
    st.integers(11, 12),
    st.sampled_from(["", " [0]", " [0] init.cc:7"]),
    st.sampled_from(["N", "N", "N", "R"]),
    st.sampled_from([0, 1, 2, 15, 100, 101]),
    st.sampled_from(["", "/0", "/1", "/8888"]),
    st.integers(0, 2),
    st.sampled_from(["0", ""]),
    st.integers(0, 1),
    st.sampled_from(["", " [send]", " [receive]", " [other]"]),
    st.sampled_from(
        [
            *(
                "P2P/CUMEM/read",
                "SHM/direct/direct",
                "NET/IB/0/GDRDMA",
                "NET/IB/2(3)/GDRDMA/Shared",
                "NET/IB",
                "direct",
            ),
            *(
                "NET/Socket/0",
                "P2P/IPC comm 0x55d0 nRanks 08",
                "SHM n1:10:12 [0] NCCL INFO Channel 00/0 : 0[0]",
                "NET//1",
            ),
        ]
    ),
    st.sampled_from(["", " ", "\r", " {"]),
).map(str.encode)
around_channels = st.sampled_from(
    [
        *(b"{", b'{"a": "b', b'c"}', b'"c"}', b"}", b"", b"n1:10:11 [0] NCCL INFO Channel 00/02 :    0   1", b"words"),
        *(b"n1:10:11 [0] NCCL INFO NET/Plugin: could not find", b"mpirun -n 8 all_reduce_perf", b"[", b'["a",'),
        *(b"n1:10:11 [0] NCCL INFO Connected all rings", b"n1:10:11 [0] NCCL WARN Call to connect failed"),
        *(
            b"n1:10:11 [0] NCCL INFO New proxy send connection 3 from local rank 0, transport 2",
            b"n3:1:1 NCCL INFO Trees [",
        ),
        *(
            b"n1:10:12 [0] NCCL INFO Connected all trees",
            b"n1:10:11 [0] NCCL INFO Connected to n2:1:1 NCCL INFO Trees [0]",
        ),
    ]
)


@given(st.lists(st.one_of(channel_line, channel_line, around_channels), max_size=60))
def test_channels_are_counted_alike(lines: list[bytes]) -> None:
    assert_alike(b"\n".join(lines))


def test_what_repeats_a_channel_inside_a_document_is_counted_alike() -> None:
    edge = b"n1:10:11 [0] NCCL INFO Channel 0%d/0 : 0[0] -> 1[1] via P2P/CUMEM/read\n"
    inside = b'["' + edge % 0 + edge % 1 + b'"]\n'
    assert_alike(edge % 5 + edge % 6 + inside + edge % 2 + edge % 3 + b"words\n" * 9 + inside + edge % 4)


def test_equal_channels_reach_python_once() -> None:
    made = sieve.sieve_for(line_parsers(), Dialect())
    edge = b"n1:10:11 [0] NCCL INFO Channel 0%d/0 : 0[0] -> 8[3] [send] via NET/IB/0/GDRDMA\n"
    codes, _, edges, _ = sifted(made, edge % 0 + edge % 1 + edge % 2)
    assert codes == bytes([sieve.TAKEN, sieve.REPEATED, sieve.REPEATED])
    assert (edges.count((0, 3)), edges.count((1, 3)), edges.first((0, 3))) == (1, 0, 0)
    fold = NcclFold()
    _, _, edges, _ = sieve.sift_into(made, edge % 0 + edge % 1 + edge % 2, fold.edges)
    assert fold.take_sifted(edges, (0, 3), 7) == (3, 0)
    (log,) = fold.result("a.log")
    (found,) = log.edges
    assert (found.src, found.dst, found.channels, found.ref.line) == (0, 8, 3, 7)
    assert found.ref.text == (edge % 0).decode().rstrip()


@pytest.mark.parametrize("text", ["00 : 01[0] -> 8[3]", "00/00 : 1[0] -> 8[3]", "00 : 1[0] -> 08[3]"])
def test_numbers_written_otherwise_are_left_to_python(text: str) -> None:
    """A line is kept as its values: it is shown as it was printed."""
    line = f"n1:10:11 [0] NCCL INFO Channel {text} via P2P/CUMEM/read".encode()
    codes, *_ = sifted(sieve.sieve_for(line_parsers(), Dialect()), line)
    assert codes == bytes([sieve.ASK])
    assert_alike(line)
