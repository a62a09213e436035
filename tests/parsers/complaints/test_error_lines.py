from __future__ import annotations

import pytest
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.model.source import Line
from slowlink.parsers.complaints.error_lines import FORMS, ErrorLines, read_error
from slowlink.parsers.forms.interface import Use

LOG = """\
starting the mill
E0405 06:07:08.123456 4711 mesh.cc:77] no route in the mesh
Traceback (most recent call last):
  File "mill.py", line 7, in <module>
KeyError: 'corn'
srun: error: the mesh has no root
grind exited with code 3
"""


def test_whole_output() -> None:
    parser = ErrorLines()
    uses = [parser.feed(Line("job.log", no, text)) for no, text in enumerate(LOG.splitlines(), 1)]
    assert [use is Use.USED for use in uses] == [False, True, False, False, True, True, True]
    assert [(e.ref.line, e.groups["form"], e.groups["text"], e.level) for e in parser.finish()] == snapshot(
        [
            (2, "error", "no route in the mesh", "error"),
            (5, "exception", "KeyError: 'corn'", "error"),
            (6, "error", "the mesh has no root", "error"),
            (7, "end", "exited with code 3", ""),
        ]
    )


@pytest.mark.parametrize(("name", "text"), [(form.name, text) for form in FORMS for text in form.samples])
def test_a_sample_is_read_in_its_form(name: str, text: str) -> None:
    found = read_error(text)
    assert found is not None
    assert found[0] == name
    assert ErrorLines.wants(text)


@pytest.mark.parametrize(
    "text",
    [
        "ERROR: 0",
        "ERROR counters:",
        "[ERROR] none",
        "Error: no errors",
        "no ERROR was seen",
        "srun: error: grind: [INFO] all is well",
        "exited with code 0",
        "exit 3.5 km ahead",
        "  exit 1",  # a statement of a script
        "return 2;",
        "error rate = 7",
        'echo "ERROR: the mill is dry"',
        "DeprecationWarning: use the other mill",
        "| FATAL | 0 |",
        "loss scale inf found: step skipped, stopping criterion not met",
        "early stopping: loss 0.41 did not improve, stopping training",
        ':::MLLOG {"key": "run_stop", "value": null, "metadata": {"status": "success"}}',
    ],
)
def test_what_only_speaks_of_errors_is_none(text: str) -> None:
    assert read_error(text) is None or ErrorLines().feed(Line("job.log", 1, text)) is Use.NOT_MINE


def test_equal_errors_of_one_rank_are_one_with_a_count_and_the_last_line() -> None:
    parser = ErrorLines()
    for no in range(1, 41):
        parser.feed(Line("job.log", no, f"ERROR:trainer:shard {no} is torn", rank=no % 2))
    assert [(e.rank, e.count, e.ref.line, e.groups["last"]) for e in parser.finish()] == snapshot(
        [(1, 20, 1, "39"), (0, 20, 2, "40")]
    )


@given(st.text(max_size=300))
def test_any_text_gives_a_result(text: str) -> None:
    found = read_error(text)
    assert found is None or found[1]
    ErrorLines().feed(Line("job.log", 1, text))


def test_the_level_that_a_command_asks_for_is_no_level_of_the_line() -> None:
    assert read_error("see `dmesg --level=err`, on each node") is None


def test_that_a_file_is_not_there_is_an_answer_to_who_looked_for_it() -> None:
    looked = ("cat: /etc/nccl.conf", "ls: cannot access '/dev/infiniband'", "/usr/bin/grep: /proc/x", "tail: run.log")
    for program in looked:
        assert list(feed(ErrorLines, [f"{program}: No such file or directory"])) == [], program
    failed = ("bash: ./mill", "run.sh: line 7: /opt/mill", "cp: cannot stat 'corn'", "df: /root/.cache")
    for program in failed:
        assert len(list(feed(ErrorLines, [f"{program}: No such file or directory"]))) == 1, program
