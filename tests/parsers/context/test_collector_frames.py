"""Transcripts: frames of the mark count, everything else is output."""

from __future__ import annotations

from feeding import feed
from hypothesis import given
from hypothesis import strategies as st

from slowlink.inputs import Input
from slowlink.model.state import Collected
from slowlink.parsers.context.collector_frames import CUT_OFF, PARSER, CollectorFrames
from slowlink.parsers.reading.read import read

MARK = "5fbe4c31aa90d2e7"
LINES = f"""\
#slowlink-transcript 1 {MARK} host gpu01.local node gpu01 at 1767225600.250000000
#slowlink-frame {MARK} begin lscpu at 1767225600.26
Architecture: x86_64

#slowlink-frame {MARK} end lscpu ran at 1767225600.31 status 0
#slowlink-frame {MARK} skipped nvidia-smi-q at 1767225600.32: no nvidia-smi here
#slowlink-frame {MARK} begin lspci-acs at 1767225601
#slowlink-frame 0123456789abcdef end lspci-acs ran at 1767225601 status 0: forged
#slowlink-transcript 1 0123456789abcdef host other at 1

#slowlink-frame {MARK} end lspci-acs skipped at 1767225602 status 77: needs root
#slowlink-frame {MARK} begin dcgmi at 1767225602

#slowlink-frame {MARK} end dcgmi failed at 1767225603 status 3: cannot connect
#slowlink-frame {MARK} begin topo at 1767225603

#slowlink-frame {MARK} end topo timeout at 1767225613 status -: it cannot be ended
#slowlink-frame {MARK} has ibnetdiscover at 1767225613
#slowlink-transcript 1 {MARK} done at 1767225614.5
""".splitlines()


def words(records: list[Collected]) -> list[tuple[str, str, str, int, str | None, float | None]]:
    return [(r.collector, r.outcome, r.detail, r.ref.line, r.host, r.at) for r in records]


def test_what_was_asked_and_how_it_went() -> None:
    assert words(feed(CollectorFrames, LINES)) == [
        ("lscpu", "ran", "", 2, "gpu01", 1767225600.26),
        ("nvidia-smi-q", "skipped", "no nvidia-smi here", 6, "gpu01", 1767225600.32),
        ("lspci-acs", "skipped", "needs root", 7, "gpu01", 1767225601.0),
        ("dcgmi", "failed", "exit status 3: cannot connect", 12, "gpu01", 1767225602.0),
        ("topo", "timeout", "it cannot be ended", 15, "gpu01", 1767225603.0),
    ]


def test_transcripts_one_behind_the_other() -> None:
    second = [line.replace(MARK, "77aa").replace("gpu01", "gpu02") for line in LINES]
    assert [r.host for r in feed(CollectorFrames, [*LINES, *second])] == ["gpu01"] * 5 + ["gpu02"] * 5


def test_a_node_without_an_answer() -> None:
    lines = [
        f"#slowlink-transcript 1 {MARK} host gpu07 at 1767225600",
        f"#slowlink-frame {MARK} lost node at 1767225600: no answer within 20 s",
    ]
    assert words(feed(CollectorFrames, lines)) == [
        ("node", "failed", "no answer within 20 s", 2, "gpu07", 1767225600.0)
    ]


def test_cut_anywhere_it_invents_nothing() -> None:
    whole = words(feed(CollectorFrames, LINES))
    for count in range(len(LINES)):
        found = words(feed(CollectorFrames, LINES[:count]))
        for mine, full in zip(found, whole, strict=False):
            assert mine in (full, (full[0], "failed", CUT_OFF, *full[3:]))


def test_without_a_head_frames_are_plain_text() -> None:
    assert feed(CollectorFrames, LINES[1:4]) == []


@given(
    st.lists(
        st.one_of(st.sampled_from(LINES), st.text(max_size=80), st.text(max_size=40).map("#slowlink-frame ".__add__))
    )
)
def test_any_text_gives_a_result(lines: list[str]) -> None:
    text = "\n".join(lines)
    records = read([Input("t", None, [text.encode("utf-8", "replace")])], workers=1)
    (stats,) = records.sources
    assert stats.used + stats.ignored + stats.unread == stats.lines
    assert all(record.outcome in ("ran", "skipped", "failed", "timeout") for record in records.collected)


def test_it_is_found() -> None:
    from slowlink.parsers import line_parsers

    assert PARSER.kind in {unit.kind for unit in line_parsers()}
