"""Lines of programs whose vocabulary the catalogue holds."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.catalog.vocabulary import Meaning, Vocabulary
from slowlink.model.source import Line
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Choice, Literals
from slowlink.parsers.forms.program_form import ProgramLines
from slowlink.parsers.job import program_messages
from slowlink.parsers.job.program_messages import ProgramMessages

FORM = ProgramLines(
    "grinder",
    (" GRINDER ",),
    r"(?:^|\[)(?P<host>[\w.-]{1,60}):(?P<pid>\d{1,9})\]? GRINDER (?P<level>ERROR|WARN|INFO) (?P<text>.*)",
    severe=("error",),
)
WORDS = Vocabulary(
    (
        Meaning(
            "grinder-jam",
            "grinder",
            "cause",
            "the mill is jammed",
            "",
            "error",
            "likely",
            (),
            (),
            secondary=False,
            texts=("mill {mill} is jammed by {what...}",),
        ),
        Meaning(
            "grinder-chatter",
            "grinder",
            "harmless",
            "it hums",
            "",
            "info",
            "likely",
            (),
            (),
            secondary=False,
            texts=("the mill hums",),
        ),
    )
)

LOG = """\
node07:4711 GRINDER INFO Starting
node07:4711 GRINDER ERROR Mill 3 is jammed by a stone
node07:4712 GRINDER ERROR mill 3 is jammed by a stone
node08:99 GRINDER WARN the mill hums
node08:99 GRINDER WARN unheard of
node08:99 GRINDER ERROR unheard of
"""


@pytest.fixture
def grinder(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(program_messages, "PROGRAM_LINES", (FORM,))
    monkeypatch.setattr(program_messages, "_FORMS", Choice([Literals(FORM.marks)]))
    monkeypatch.setattr(program_messages, "vocabulary", {"grinder": WORDS}.__getitem__)
    program_messages._judged.cache_clear()
    yield
    program_messages._judged.cache_clear()


@pytest.mark.usefixtures("grinder")
def test_known_messages_and_unknown_errors_become_events() -> None:
    parser = ProgramMessages()
    for number, text in enumerate(LOG.splitlines(), 1):
        parser.feed(Line("log", number, text))
    events = [(e.kind, e.origin, e.host, dict(e.groups), e.level, e.count) for e in parser.finish()]
    assert events == snapshot(
        [
            (
                "grinder-jam",
                "grinder",
                "node07",
                {"host": "node07", "pid": "4711", "level": "ERROR", "mill": "3", "what": "a stone"},
                "error",
                2,
            ),
            (
                "program-error",
                "grinder",
                "node08",
                {"host": "node08", "pid": "99", "level": "ERROR", "text": "unheard of"},
                "error",
                1,
            ),
        ]
    )


@pytest.mark.usefixtures("grinder")
def test_harmless_lines_are_ignored_and_unknown_warnings_stay_unread() -> None:
    uses = [ProgramMessages().feed(Line("log", number, text)) for number, text in enumerate(LOG.splitlines(), 1)]
    assert uses == [Use.NOT_MINE, Use.USED, Use.USED, Use.IGNORED, Use.NOT_MINE, Use.USED]


@pytest.mark.usefixtures("grinder")
def test_lines_are_wanted_by_the_mark_of_their_form() -> None:
    assert [ProgramMessages.wants(text) for text in ("n:1 GRINDER INFO hello", "grinder says hello")] == [True, False]


def test_programs_without_a_form_are_asked_only_about_complaints(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program_messages, "UNPREFIXED", ("grinder",))
    asked: list[str] = []

    def words(name: str) -> Vocabulary:
        asked.append(name)
        return WORDS

    monkeypatch.setattr(program_messages, "vocabulary", words)
    assert not ProgramMessages.wants("epoch 3 of 9 done")
    assert asked == []
    assert ProgramMessages.wants("Sadly, mill 2 isn't well: jammed")


@given(st.text(max_size=300))
def test_any_text_gives_a_result(text: str) -> None:
    parser = ProgramMessages()
    parser.feed(Line("log", 1, text))
    list(parser.finish())


@pytest.mark.parametrize(
    "text",
    [
        "slurmstepd: error: pyxis: [INFO] Unpacking layer 3 of 9",
        "slurmstepd: error: pyxis:     [WARN] The layer is older than the cache",
        "srun: error: mill/turn: [notice] the wheel turns",
        "slurmstepd: error: helper[4711]: INFO wheel 7 turns",
        'srun: error: time="2031-04-05T06:07:08Z" level=info msg="no error seen"',
        "slurmstepd: error: I0405 06:07:08.123456 4711 mill.cc:77] the wheel turns",
    ],
)
def test_what_a_launcher_passes_on_is_as_bad_as_it_says_itself(text: str) -> None:
    parser = ProgramMessages()
    parser.feed(Line("job.log", 1, text))
    assert [event.kind for event in parser.finish() if event.level == "error"] == []


def test_an_error_that_a_launcher_passes_on_stays_one() -> None:
    parser = ProgramMessages()
    parser.feed(Line("job.log", 1, "slurmstepd: error: pyxis:     [ERROR] Layer 3 of 9 is torn"))
    assert [(event.kind, event.level) for event in parser.finish()] == [("program-error", "error")]
