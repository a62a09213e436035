"""The extractor of messages, on small sources of our own."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from inline_snapshot import snapshot

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))

import vocabulary
from vocabulary_formats import formats, split_arguments
from vocabulary_render import rendered
from vocabulary_source import Program, SourceFile, programs, source_files

C = r"""
/* a comment: complain("not this one"); */
#define CHECK(call) do { if (call) complain("Call to " #call " failed : %s", strerror(errno)); } while (0)
static int grind(struct mill *mill) {
  complain("Mill %d is \"jammed\" " // why
           "after %" PRIu64 " turns, 100%%", mill->rank, mill->count);
  complain(dev, "Mill %s: %p", ibv_get_device_name(dev), mill);
  complain(worse ? "very bad, %s" : "bad, %s", name);
  complain(text);
  uncomplain("not this one");
  LOG(ERROR) << "stone of " << size << " bytes; " << "stopped";
}
"""
PYTHON = """
import logging
logger.error("mill %s stopped after %d turns", host, turns)
logger.info("all is well")
log.warning(f"mill {host} is slow: {reason}")
raise MillError("no mill on {}".format(host) + ", giving up")
"""
HELP = """\
# a comment
[no-mill]
There is no mill on this node:

  Node: %s
#
[jammed]
The mill is jammed.
"""


def program(language: str, calls: str = "", streams: str = "") -> Program:
    return Program("mill", "Mill", ("src/*",), language, "mill: {text}", calls=calls, streams=streams)


def lines(text: str, entry: Program) -> list[str]:
    return [rendered(one, entry) for one in formats(SourceFile("src/mill.c", text), entry)]


def test_c_calls_and_streams() -> None:
    assert lines(C, program("c", calls="complain", streams=r"LOG\(ERROR\)")) == snapshot(
        [
            "mill: Call to example failed : Connection timed out",
            'mill: Mill 3 is "jammed" after %example turns, 100%',
            "mill: Mill mlx5_3: 0x7f2a40001000",
            "mill: very bad, AllReduce",
            "mill: stone of example bytes; stopped",
        ]
    )


def test_python_calls_and_exceptions() -> None:
    assert lines(PYTHON, program("python", calls=r"log(ger)?\.(error|warning)")) == snapshot(
        [
            "mill: no mill on node08, giving up",
            "mill: mill node08 stopped after 3 turns",
            "mill: mill node08 is slow: Connection timed out",
        ]
    )


def test_help_files() -> None:
    assert lines(HELP, program("help")) == snapshot(
        [
            """\
mill: There is no mill on this node:

  Node: example\
""",
            "mill: The mill is jammed.",
        ]
    )


def test_arguments_are_split_outside_brackets_and_quotes() -> None:
    assert split_arguments('f(a, b), "x, \\"y\\"", \',\', {1, 2}) + 3', 0) == snapshot(
        ["f(a, b)", '"x, \\"y\\""', "','", "{1, 2}"]
    )


def checkout(tmp_path: Path) -> Path:
    place = tmp_path / "mill"
    (place / "src").mkdir(parents=True)
    (place / "src" / "mill.c").write_text(
        'void f(void) { WARN("NET/IB : Got completion from peer %s with status=%d opcode=%d len=%d vendor err %d", '
        'peer, status, opcode, len, vendor); WARN("the unheard of happened"); }'
    )
    return place


def test_the_share_of_messages_with_a_meaning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    entry = Program("mill", "Mill", ("src/**/*.c",), "c", "n:1:2 [0] {file}:1 NCCL WARN {text}", calls="WARN")
    monkeypatch.setattr(vocabulary, "programs", lambda: {"mill": entry})
    vocabulary.main([str(checkout(tmp_path)), "--rest"])
    assert capsys.readouterr().out == snapshot("""\
program                   version          formats  meaning     cause   symptom      fact  harmless  share
Mill                      mill                   2        1         1         0         0         0  50.0%
src/mill.c:1: n:1:2 [0] mill.c:1 NCCL WARN the unheard of happened
""")


def test_every_entry_of_the_table_is_whole() -> None:
    for entry in programs().values():
        assert "{text}" in entry.line
        assert entry.language in ("c", "python", "help", "table"), entry.id
        assert entry.calls or entry.joined or entry.streams or entry.language == "help", entry.id


def test_files_are_chosen_by_globs(tmp_path: Path) -> None:
    for name in ("src/a.c", "src/deep/b.c", "src/tests/c.c", "d.c"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    entry = Program("mill", "Mill", ("src/**/*.c",), "c", "{text}", exclude=("*/tests/*",))
    assert [file.path for file in source_files(tmp_path, entry)] == ["src/a.c", "src/deep/b.c"]
