"""What ranks wrote, printed by the job behind its own output, and taken out of it here."""

from __future__ import annotations

import subprocess
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from slowlink.bundle import BundleWriter
from slowlink.model.plan import NodeScripts
from slowlink.workflows.rank_files.framed import left_out, received, send_bounded_script
from slowlink.workflows.rank_files.in_output import FilesInOutput, scripts_around

MARK = "5e2f5e2f"


def sh(script: str) -> str:
    return subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=False).stdout


def written(directory: Path, number: int) -> NodeScripts:
    """A node whose ranks have written."""
    scripts = scripts_around(directory, ("own.json",), 2, MARK)
    sh(scripts.before)
    (directory / "nccl-debug" / f"n{number}.7.log").write_text(f"n{number}:7:7 [0] NCCL INFO cudaDriverVersion 12040\n")
    if number == 0:
        (directory / "own.json").write_text('{"a": 1}')
    return scripts


def printed(tmp_path: Path) -> str:
    """The output of a job of two nodes."""
    text = f"# table\n 8 2 float\n\n#slowlink-nodes {MARK} n0 n1\n"
    for number in range(2):
        scripts = written(tmp_path / f"place{number}", number)
        text += f"#slowlink-node {MARK} n{number}\n{sh(scripts.after)}\n"
    return text + f"#slowlink-all {MARK}\n"


def taken(tmp_path: Path, *chunks: bytes) -> tuple[bytes, dict[str, str]]:
    """What stays of the output, and what is missing."""
    files = FilesInOutput(MARK, ("own.json",))
    on: list[bytes] = []
    through = files.through(on.append)
    with BundleWriter(tmp_path / "bundle") as bundle, bundle.capture("run-1", "collective", ()) as capture:
        for chunk in chunks:
            through(chunk)
        missing = files.take(capture, bundle, "1")
    return b"".join(on), missing


def test_files_of_all_nodes_come_into_the_bundle_and_not_into_the_output(tmp_path: Path) -> None:
    on, missing = taken(tmp_path, printed(tmp_path).encode() + b"after\n")
    assert on == b"# table\n 8 2 float\n\nafter\n"
    assert missing == {}
    captures = tmp_path / "bundle" / "captures"
    assert (captures / "run-1" / "own.json").read_text() == '{"a": 1}'
    for number in range(2):
        log = captures / "nccl-debug-1" / f"n{number}" / f"n{number}.7.log"
        assert log.read_text().startswith(f"n{number}:7:7")
        assert not (tmp_path / f"place{number}").exists()


def test_what_did_not_come_is_named(tmp_path: Path) -> None:
    text = printed(tmp_path)
    cut = text[: text.index(f"#slowlink-node {MARK} n1")]
    on, missing = taken(tmp_path, cut.encode())
    assert on.startswith(b"# table\n")
    assert list(missing) == ["n1"]
    assert (tmp_path / "bundle" / "captures" / "nccl-debug-1" / "n0" / "n0.7.log").exists()


def test_a_job_that_sent_nothing_is_told(tmp_path: Path) -> None:
    on, missing = taken(tmp_path, b"# table\n")
    assert on == b"# table\n"
    assert missing == {"(nodes)": "the job ended before it sent what its ranks wrote"}


def test_files_beyond_the_bound_are_named_and_smaller_ones_still_come(tmp_path: Path) -> None:
    import random

    scripts_around(tmp_path / "p", (), 1, MARK)
    sh(scripts_around(tmp_path / "p", (), 1, MARK).before)
    noise = random.Random(7).randbytes(300_000)
    (tmp_path / "p" / "nccl-debug" / "a.log").write_bytes(noise)
    (tmp_path / "p" / "nccl-debug" / "b.log").write_text("small\n")
    text = sh(send_bounded_script(str(tmp_path / "p"), (), MARK, 100_000))
    files, is_all = received(text, MARK)
    assert is_all
    assert [(file.name, file.data) for file in files] == [("nccl-debug/b.log", b"small\n")]
    assert left_out(text, MARK) == ["nccl-debug/a.log"]


FRAMES = f"#slowlink-nodes {MARK} n0\n#slowlink-node {MARK} n0\nrow\r\n#slowlink-done {MARK}\n\n#slowlink-all {MARK}\n"
PIECES = st.sampled_from(
    ["# busbw\n", "row\rrow", "\n", "#slow", "#slowlink-nodes other n\n", "\x00", FRAMES, "\n" + FRAMES]
)


@given(st.lists(PIECES, max_size=8), st.data())
def test_output_is_taken_apart_alike_however_it_is_cut(pieces: list[str], data: st.DataObject) -> None:
    text = ("".join(pieces) + "\nend\n").encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=9)))
    whole: list[bytes] = []
    parts: list[bytes] = []
    FilesInOutput(MARK, ()).through(whole.append)(text)
    through = FilesInOutput(MARK, ()).through(parts.append)
    for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True):
        through(text[start:end])
    assert b"".join(parts) == b"".join(whole)
    assert f"\n{FRAMES}".encode() not in b"\n" + b"".join(whole)


@given(
    st.text(max_size=200),
    st.lists(
        st.sampled_from(
            [
                f"#slowlink-nodes {MARK} ../x n0",
                f"#slowlink-node {MARK} n0",
                f"#slowlink-node {MARK} ../x",
                f"#slowlink-file {MARK} 5 ../../etc/x",
                f"#slowlink-file {MARK} 5 nccl-debug/x",
                "QUJD",
                f"#slowlink-end {MARK}",
                f"#slowlink-all {MARK}",
            ]
        ),
        max_size=12,
    ),
)
def test_any_output_is_taken(text: str, lines: list[str]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as place:
        taken(Path(place), (text + "\n" + "\n".join(lines) + "\n").encode("utf-8", "replace"))
        outside = [path for path in Path(place).rglob("*") if not path.is_relative_to(Path(place) / "bundle")]
        assert outside == []
