"""Rows of numbers give what the same lines give one by one: in machine code, by Python, in any number of processes."""

from __future__ import annotations

import json
import re
from array import array
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from slowlink.inputs import Input
from slowlink.model.records import Records
from slowlink.model.source import Line
from slowlink.parsers import line_parsers
from slowlink.parsers.forms import observation_table
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.rows import NO_NUMBER, Rows
from slowlink.parsers.job.steps import landmarks
from slowlink.parsers.nccl.nccl_log.rows import WITHOUT, native
from slowlink.parsers.reading import chunks, sieve, workers
from slowlink.parsers.reading.plain_lines import bytes_before
from slowlink.parsers.reading.plain_lines import line_of as line_of_bytes
from slowlink.parsers.reading.read import read
from slowlink.parsers.reading.rows import row_runs
from slowlink.parsers.reading.rows.heard import Heard, HeardInRows
from slowlink.parsers.reading.rows.row_plans import Hearing
from slowlink.parsers.reading.scanned import Candidate
from slowlink.parsers.reading.source import Source

needs_native = pytest.mark.skipif(native is None, reason="the sieve is not built here: make native")
LOOPS = (
    "\x1b[36m(RayTrainWorker pid=10{s}, ip=10.0.0.{s})\x1b[0m step {n} loss {x:.4f} {x:.3f} s/step",
    " iteration {n:8d}/   50000 | elapsed time per iteration (ms): {t:.1f} | loss: {x:.6E} |",
    "iteration {n}/50000 | loss {x:.3f} | lr {x:.1e} | tokens/s {r}",
    "step {n} | loss {x:.2f} | {t:.0f} ms/step",
    "step {n} | loss {x:.2f} | 0.{r}s/step",
    "[2026-11-01 12:00:{s:02d}] step: {n}  loss: {x:.4f}  tps: {r}  mfu: 41.07%",
    "iter {n}: loss {x:.4f}, time {t:.2f}ms",
    "[train.py:9] Batch {n} Loss: {x:.2f}, Speed: {t:.2f} samples/sec, lr: 0.0001",
    "completed step: {n}, seconds: {x:.3f}, TFLOP/s: 400.1",
    "[1,{s}]<stdout>:iteration {n}/50000 | loss {x:.3f} | tokens/s {r}",
    "gpu{s:02d}: step {n} | loss {x:.2f} | {t:.0f} ms/step",
    "{{'loss': {x:.2f}, 'grad_norm': {x:.3f}, 'learning_rate': {x:.1e}, 'epoch': 0.{s}}}",
    "INFO:trainer:step {n} loss {x:.1f} time {t:.1f}s/step tokens/s {r}",
    "Epoch {n}: loss {x:.2f} throughput: 1,{s:03d}.5 samples/s",
    "Epoch 0:  {s}%|███▍      | {n}/50000 [01:{s:02d}<12:{s:02d},  {x:.2f}s/it, loss={x:.1f}]",
    " {s}%|█▎        | {n}/50000 [01:{s:02d}<12:{s:02d}, {x:.2f}it/s]",
    "\x1b[3{d}mépoche {s}\x1b[0m step {n} | loss {x:.2f} | {t:.0f} ms/step",
    "Evaluating: {s}%|█▎        | {n}/50000 [01:{s:02d}<12:{s:02d}, {x:.2f}it/s]",
)
NOBODYS = (
    'INFO:     10.0.5.{s}:{r} - "POST /v1/chat/completions HTTP/1.1" 200 OK',
    "[rank{s}]:[I1101 12:00:{s:02d}.001794000 ProcessGroupNCCL.cpp:2081] [PG ID 0 Rank {s}] ProcessGroupNCCL took {x:.5f} ms",
    "Nov  1 12:00:{s:02d} gpu0{s:02d} systemd[1]: Started Session {n} of user root.",
    "(RayTrainWorker pid=10{s}, ip=10.0.0.{s}) loss {x:.4f} time {x:.3f}s",
    "[2026-11-01T12:00:{s:02d}.882] sched: Allocate JobId={n} NodeList=gpu[082-089] #CPUs=1536 Partition=train",
    '{{"ts":"2026-11-01T12:00:{s:02d}Z","level":"info","step":{n},"loss":{x:.5f},"tokens_per_second":{t:.1f},"rank":{s}}}',
    '{{"ts":{s:02d},"level":"info","step":0{s:02d},"loss":{x:.5f},"tokens_per_second":{t:.1f},"rank":{s:02d}}}',
    "[rank{s}]:[titan] 2026-11-01 12:00:{s:02d},001 - root - INFO - step: {n}  loss: {x:.4f}  tps: {r}  mfu: 42.92%",
    "wandb: Step {n} | train/loss {x:.4f} | perf/tokens_per_sec {r}",
    "{s} of {n} shards, none of which says anything",
    "\x1b[3{d}m(RayTrainWorker pid=10{s}, ip=10.0.0.{s})\x1b[0m größe {n}, step {n} loss {x:.4f} time {x:.3f}s",
    "\x1b[{d}Cstep {n} of {s} – at 10\u00a0%, {x:.1f} s/step",
    "gpu0{d}: ✓ {n} ok",
)
"""What programs say all day long, and mostly nobody takes."""
TAKEN = (
    '{{"time":"12:00:{s:02d}","step":{n},"compute_time_s":{x:.3f},"rank":{s}}}',
    "INFO 11-01 12:00:{s:02d} [loggers.py:118] Engine 000: Avg prompt throughput: {t:.1f} tokens/s, Avg generation "
    "throughput: {t:.1f} tokens/s, Running: 1{s} reqs, Waiting: {s} reqs",
    "[ 41{s:02d}.320000] nvidia-nvswitch0: SXid (PCI:0000:c4:00.0): 20034, Non-fatal, Link 12 LTSSM Fault Up",
    "[rank{s}]: step {n}: compute {x:.2f}s data 0.{s}s",
    "         Train stepwatch/dataloader_wait_sec: {x:.2f}",
)
"""Lines at each of which somebody must look."""
TABLES = (
    "# gpu   pwr gtemp mtemp    sm   mem   enc   dec   jpg   ofa  mclk  pclk",
    "    {s}     531     64      74      91     55      0      0      0      0   2619   1980",
    "NODE      CHECK      VERDICT",
    "gpu{s:02d}    nvlink     PASS",
    "gpu{s:02d}    nvlink     FAIL",
    "CHECK / NODE   gpu01  gpu02",
    "[rank{s}]: CHECK      RESULT",
    "[rank{s}]: nvlink     PASS",
    "$ nvidia-smi dmon",
    "srun: error: gpu0{s}: task {s}: Exited with exit code 1",
)
"""What parsers take who go on with what follows, in streams and in none."""
BETWEEN = (
    "saved a thing in {x:.1f} seconds",
    "ERROR: shard {n} lacks its end",
    "",
    "GPU {s} is not healthy",
    "[rank{s}]: step {n} took {x:.3f}s",
    "#       size         count      type   redop    root     time   algbw   busbw #wrong",
    "     1048576        262144     float     sum      -1    45.67   22.96   40.18      0",
    "n1:10:11 [0] NCCL INFO comm 0x55d0c0010 rank {s} nranks 64 cudaDev 1 - Init START",
    '{{"time": "12:00:{s:02d}", "level": "info", "msg": "step {n}", "loss": {x}}}',
    "2026-11-01 12:00:{s:02d} INFO: step {n} {t:.1f} ms/step",
    "a torn line with data {x:.2f}",
)


def line_of(form: str, number: int, random: Random) -> str:
    values = {"t": random.choice([0.0, *[random.uniform(90, 2000)] * 9]), "x": random.uniform(0, 20)}
    return form.format(
        n=number, d=random.randrange(10), s=random.randrange(60), r=random.choice([0, 950, 12345, 9999]), **values
    )


RECORDS = (
    '{{"time": "12:00:{s:02d}", "level": "info", "msg": "step {n}", "loss": {x}}}',
    '{{"time": "12:00:{s:02d}", "level": "info", "msg": "step {n} took {x:.2f}s, {r} tokens/s"}}',
    '{{"ts": {n}, "level": "error", "msg": "GPU {s} is not healthy", "n": null}}',
    '{{"time": "12:00:{s:02d}", "host": "gpu{s:02d}", "msg": "step {n}"}}',
    '{{"a": {n}, "b": "words"}}',
    '{{"time": "1", "msg": "x", "stdout": "a\\nb {n}"}}',
    '{{"slowlink_probe": {s}, "time": "1", "msg": "x {n}"}}',
)


def test_records_are_read_alike_in_machine_code_and_by_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "DIALECT_BYTES", 500)
    random = Random(5)
    lines = [line_of(random.choice((*RECORDS, *RECORDS[:1] * 9, *BETWEEN)), n, random) for n in range(1500)]
    for data in ("\n".join(lines).encode(), ("\n".join(lines) + "\n").encode()):
        found = records_of(data)
        sieve.sieve_for.cache_clear()
        with monkeypatch.context() as patch:
            patch.setenv(WITHOUT, "1")
            assert records_of(data) == found
        sieve.sieve_for.cache_clear()


def log_of(seed: int, lines: int, between: float) -> bytes:
    random = Random(seed)
    loops = random.sample(LOOPS, random.choice([1, 1, 2]))
    found = [
        line_of(random.choice(BETWEEN if random.random() < between else loops), number, random)
        for number in range(lines)
    ]
    return ("\n".join(found) + "\n" * (seed % 2)).encode()  # the last line may have no end


def records_of(data: bytes, workers: int = 1) -> Records:
    return read([Input("a.log", len(data), [data])], workers=workers)


@needs_native
@pytest.mark.parametrize("between", [0.0, 0.02, 0.3])
@pytest.mark.parametrize("seed", range(12))
def test_rows_are_read_as_lines(seed: int, between: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "DIALECT_BYTES", 2000)
    monkeypatch.setattr(observation_table, "MOST_OF_STEPS", 40)
    data = log_of(seed, 700, between)
    found = records_of(data)
    sieve.sieve_for.cache_clear()
    monkeypatch.setenv(WITHOUT, "1")
    try:
        assert records_of(data) == found
    finally:
        sieve.sieve_for.cache_clear()


@needs_native
@pytest.mark.parametrize("between", [0.0, 0.05, 0.4])
@pytest.mark.parametrize("seed", range(12))
def test_what_programs_say_all_day_is_read_as_lines(seed: int, between: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "DIALECT_BYTES", 2000)
    monkeypatch.setattr(chunks.parts, "__defaults__", (40_000,))
    random = Random(100 + seed)
    often = random.sample((*NOBODYS, *TAKEN), random.choice([1, 2, 4]))
    seldom = (*TABLES, *BETWEEN, *LOOPS, *NOBODYS, *TAKEN)
    lines = [line_of(random.choice(seldom if random.random() < between else often), n, random) for n in range(900)]
    data = ("\n".join(lines) + "\n" * (seed % 2)).encode()
    found = records_of(data)
    sieve.sieve_for.cache_clear()
    monkeypatch.setenv(WITHOUT, "1")
    try:
        assert records_of(data) == found
    finally:
        sieve.sieve_for.cache_clear()


@needs_native
def test_nobody_looks_at_lines_that_new_parsers_refuse(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "DIALECT_BYTES", 200)
    seen: list[int] = []
    as_it_is = Source._offer

    def offer(source: Source, candidate: Candidate) -> Use:
        seen.append(candidate.line.no)
        return as_it_is(source, candidate)

    monkeypatch.setattr(Source, "_offer", offer)
    random = Random(1)
    for form in NOBODYS[:3]:
        seen.clear()
        text = "".join(line_of(form, n, random) + "\n" for n in range(10_000, 30_000))
        (stats,) = records_of(text.encode()).sources
        assert (stats.lines, stats.unread, stats.used) == (20_000, 20_000, 0)
        assert len(seen) < 400, form


heard_once = st.one_of(st.just("begin"), st.just("quiet"), st.just("other"))


@needs_native
@given(st.lists(st.tuples(st.sampled_from(["", "rank1", "größe"]), heard_once)), st.integers(0, 4), st.booleans())
def test_machine_code_hears_as_python_does(steps: list[tuple[str, str]], after: int, is_first: bool) -> None:
    mine = Heard(after, is_first=is_first)
    other = HeardInRows(native.Rows(b"", b"", b"\0" * 4, b"", after, is_first))
    for stream, what in [*steps, *[("waits", "quiet")] * 70]:
        if what == "begin":
            mine.begin(stream)
            other.begin(stream)
        else:
            quiet = what == "quiet"
            assert mine.hears(stream, quiet=quiet) is other.hears(stream, quiet=quiet)
        assert mine.goes_on() is other.goes_on()


shown = st.text(st.sampled_from("aé█9 \u00a0\u2019\ufeff\u3000"), max_size=8)
coloured = st.sampled_from(["", "\x1b[31m", "\x1b[0m", "\x1b[9C", "\x1b]8;;x\x07", "\x1b"])


@given(st.lists(st.tuples(shown, coloured), max_size=4), st.booleans())
def test_each_character_is_found_in_the_bytes_that_it_was_read_from(pieces: list[tuple[str, str]], odd: bool) -> None:
    raw = "".join(map("".join, pieces)).encode() + b"\xff" * odd + b"\n"
    line = line_of_bytes(raw)
    places = bytes_before(raw, line)
    if places is None:
        assert odd or any(mark in raw for mark in (b"\x1b[9C", *map(str.encode, "\u00a0\u2019\ufeff")))
        return
    assert len(places) == len(line) + 1 or line == line.rstrip()
    for at, char in enumerate(line):
        assert raw[places[at] :].startswith(char.encode())


numbers = st.one_of(
    st.integers(-99, 99).map(str), st.from_regex(r"-?[0-9]{1,3}(\.[0-9]{1,2})?([eE][+-]?[0-9]{1,2})?", fullmatch=True)
)


@needs_native
@given(st.lists(st.tuples(st.text("ab-:0 1,", max_size=4), numbers), min_size=1, max_size=4))
def test_a_line_that_is_no_json_after_all_is_looked_at(pairs: list[tuple[str, str]]) -> None:
    line = ("{" + ", ".join(f'"{key}": {number}' for key, number in pairs) + "}").encode()
    starts = array("I", [0, len(line)]).tobytes()
    rows = native.Rows(line, bytes([sieve.ASK]), starts, array("H", [1]).tobytes(), 0, True)
    rows.learn(1, 0, int(Hearing.QUIET), False, True, None, None, [])
    taken = rows.read(0, bytes(256))[0] == 1
    try:
        json.loads(line)
    except json.JSONDecodeError:
        assert not taken
    else:
        assert taken


@needs_native
def test_rows_in_many_processes_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    data = log_of(3, 30_000, 0.01)
    assert records_of(data, workers=2) == records_of(data)


@needs_native
def test_python_sees_a_shape_and_no_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "DIALECT_BYTES", 200)
    seen: list[int] = []
    as_it_is = row_runs.RowRun.line

    def line(run: row_runs.RowRun, row: int) -> Line:
        seen.append(row)
        return as_it_is(run, row)

    monkeypatch.setattr(row_runs.RowRun, "line", line)
    data = "".join(f"iteration {n}/50000 | loss 0.5 | tokens/s {9000 + n % 900}\n" for n in range(10_000)).encode()
    (pace,) = records_of(data).paces
    assert (pace.count, pace.spanned, pace.last.line) == (10_000, 9_999, 10_000)
    assert pace.seconds[:2] == (1 / 9000, 1 / 9001)
    assert len(seen) < 2 * landmarks.MOST, "the slowest of each stretch, and no other"


READERS = [unit for unit in line_parsers() if unit.reads_rows]  # type: ignore[attr-defined]


@given(st.sampled_from((*LOOPS, *BETWEEN)), st.integers(0, 10**6), st.booleans())
def test_a_parser_promises_nothing_that_its_lines_do_not_keep(form: str, seed: int, zeros: bool) -> None:
    random = Random(seed)
    first = line_of(form, random.randrange(10_000), random)
    lines = [first, *(_digits_changed(first, random, zeros) for _ in range(5))]
    for unit in READERS:
        row = unit.row(first) if unit.wants(first) else None  # type: ignore[attr-defined]
        if row is None:
            continue
        fed, at_once = unit(), unit()
        taken = [number for number, text in enumerate(lines) if _is_row(row, text)]
        for number in taken:
            assert fed.feed(Line("a.log", number + 1, lines[number])) is row.use
        if taken and row.use is not Use.NOT_MINE:
            at_once.feed_rows(_rows(row, lines, taken))  # type: ignore[attr-defined]
        assert list(at_once.finish()) == list(fed.finish()), unit.kind


def _digits_changed(text: str, random: Random, zeros: bool) -> str:
    return re.sub(r"\d", lambda _: str(0 if zeros and random.random() < 0.5 else random.randrange(10)), text)


def _is_row(row: Any, text: str) -> bool:
    return row.value is None or float(text[row.value].replace(",", "")) > 0


def _rows(row: Any, lines: list[str], taken: list[int]) -> Rows:
    values = [float(lines[each][row.value].replace(",", "")) if row.value else 0.0 for each in taken]
    numbers = [int(lines[each][row.number]) if row.number else NO_NUMBER for each in taken]
    return Rows(
        [row.meaning] * len(taken),
        array("d", values),
        array("Q", numbers),
        taken,
        lambda place: Line("a.log", place + 1, lines[place]),
    )


def test_a_long_loop_is_no_reason_to_trust_nothing() -> None:
    """The steps of a stream are shown up to a number; all of them are in its pace."""
    steps = 21_000
    text = "".join(
        f" iteration {n:8d}/ 50000 | elapsed time per iteration (ms): 900.{n % 10} | loss: 1.0E-01 |\n"
        for n in range(steps)
    )
    found = records_of(text.encode())
    assert not found.sources[0].partial
    assert len(found.observations) == observation_table.MOST_OF_STEPS
    assert found.paces[0].count == steps
    assert replace(found.sources[0], used=0, lines=0, size_bytes=0).unread == 0
