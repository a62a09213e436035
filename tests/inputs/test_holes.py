"""Logs with runs of NUL bytes: what stands around them is read, and the hole is said."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opened_texts import text, texts

from slowlink.inputs import holes
from slowlink.inputs.holes import HOLE_BYTES, shut
from slowlink.inputs.stream import PIECE, DamagedError

LINES = b"node-1: up\nnode-2: gone\n"


def hole(count: str, more: str = "") -> str:
    return f"has a hole: {count} NUL bytes{more} that nobody printed were left out; what was to be there is missing"


@pytest.mark.parametrize("zeros", [HOLE_BYTES, 5000, 3 << 20])
def test_a_log_that_begins_with_a_hole_is_read_behind_it(tmp_path: Path, zeros: int) -> None:
    assert text(tmp_path / "a.log", bytes(zeros) + LINES) == (
        LINES,
        hole(f"{zeros:,}", " or more" if zeros >= PIECE else ""),
        True,
    )


def test_a_line_breaks_in_two_at_a_hole_and_lines_keep_their_numbers(tmp_path: Path) -> None:
    assert text(tmp_path / "a.log", LINES + b"node-3: u" + bytes(5000) + b"node-4: up\n" + bytes(300)) == (
        LINES + b"node-3: u\rnode-4: up\n",
        hole("5,300"),
        True,
    )


def test_nothing_but_nul_bytes_is_no_empty_file(tmp_path: Path) -> None:
    said = "holds {} NUL bytes and nothing else; what was to be there is missing"
    assert text(tmp_path / "a.log", bytes(5000)) == (b"", said.format("5,000"), True)
    assert text(tmp_path / "a.log", bytes(5)) == (b"", said.format("5"), True)


def test_a_few_nul_bytes_are_padding_and_pass(tmp_path: Path) -> None:
    padded = LINES.replace(b"\n", b"\r\0\0\n") * 400
    assert text(tmp_path / "console.log", padded) == (padded, None, False)


def test_a_hole_in_a_wide_text(tmp_path: Path) -> None:
    wide = LINES.decode().encode("utf-16")
    assert text(tmp_path / "a.log", wide + bytes(2000) + "node-3: up\n".encode("utf-16-le")) == (
        LINES + b"\rnode-3: up\n",
        hole("1,000"),
        True,
    )


def test_what_is_packed_behind_a_hole_is_no_log(tmp_path: Path) -> None:
    assert text(tmp_path / "a.log", bytes(5000) + b"\x1f\x8b\x08\0" + bytes(range(256)) * 20) == (
        b"",
        "compressed with gzip, and damaged, not read",
        True,
    )


def test_a_hole_has_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(holes, "MOST_BYTES", 1 << 20)
    for start in (b"", LINES):
        with (tmp_path / "a.log").open("wb") as file:
            file.write(start + bytes(2 << 20))
        (found,) = texts(tmp_path / "a.log").values()
        assert found == (start, "holds more than 0 GiB of NUL bytes; not read further", True)


def test_what_a_sparse_file_has_no_blocks_for_is_not_read(tmp_path: Path) -> None:
    """It may claim terabytes and hold a line here and there: no limit of NUL bytes ends it before the last one."""
    for lines in ((LINES, LINES), (LINES,), ()):
        with (tmp_path / "a.log").open("wb") as file:
            for number, line in enumerate(lines):
                file.seek(number << 42)
                file.write(line)
            file.truncate((len(lines) + 1) << 42)
        (found,) = texts(tmp_path / "a.log").values()
        assert (found[0], found[2]) == (b"\r".join(lines), True)
        assert found[1] is not None
        assert "NUL bytes or more" in found[1]


@given(
    st.lists(st.tuples(st.binary(max_size=40), st.integers(0, 200)), max_size=8),
    st.integers(1, 90),
)
def test_what_is_left_out_is_counted_and_all_else_stays(runs: list[tuple[bytes, int]], piece: int) -> None:
    data = b"".join(text + bytes(zeros) for text, zeros in runs)
    kept, said = [], ""
    try:
        for found in shut(data[at : at + piece] for at in range(0, len(data), piece)):
            kept.append(found)
    except DamagedError as broken:
        said = str(broken)
    left = b"".join(kept)
    without = [part for part in holes._RUNS.split(data) if part]
    assert left.strip(b"\r") == b"\r".join(without).strip(b"\r")
    missing = sum(len(run[0]) for run in holes._RUNS.finditer(data))
    assert (f" {missing:,} NUL bytes " in said) if missing else (said == "")
    assert left.count(b"\n") == data.count(b"\n")
