"""Source text and file listings: names in them complain of nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink.model.source import Line
from slowlink.parsers.complaints.complaint_lines import ComplaintLines
from slowlink.parsers.complaints.error_lines import ErrorLines
from slowlink.parsers.forms.source_text import is_listing, is_source

SOURCE = [
    '    LOG(ERROR) << "NVLink is down";',
    '    std::cerr << "port 3 is down" << std::endl;',
    '    t.Fatalf("nvlink is down")',
    '    logger.log("the fan has failed", level);',
    '[ -e "$link" ] || { echo "link missing"; exit 1; }',
    'const LINK_DOWN = "link down"',
    "class PortDown(Exception): pass",
    "from mill.fan import failed",
    "def fan_failed(gpu):",
    "#define FAN_FAILED 7",
    '        raise MillError("the fan failed")',
]
LISTED = [
    "drwxrwxr-x 2 user user 4096 Mar  2 2031 link down",
    "-rw-r--r--. 1 root root 812 Mar  2 10:11 fan failed.log",
    "   131 4 -rw-r--r-- 1 root root 812 Mar  2 10:11 ./sda missing",
    " M drivers/fan/failed.c",
    "Only in old: port down",
    "./links/port/down.txt",
]
SAID = [
    "automatic NUMA balancing is enabled (should be 0)",
    "FAIL: port mlx5_3/1 is down",
    "from worker 3: ERROR: NVLink (link 4) is down",
    "using 8 GPUs (of 9): GPU 7 is missing",
    "class A fan tray: fan 3 failed",
    "import error: no such module; fan 3 failed",
    "MillError: raise the limit; too few file descriptors",
    "node07: [ERROR] fan 3 [tray 2] has failed",
]


@pytest.mark.parametrize("text", SOURCE)
def test_source_text_is_known(text: str) -> None:
    assert is_source(text)


@pytest.mark.parametrize("text", LISTED)
def test_rows_of_listings_are_known(text: str) -> None:
    assert is_listing(text)


@pytest.mark.parametrize("text", SAID)
def test_what_programs_print_is_neither(text: str) -> None:
    assert not is_source(text)
    assert not is_listing(text)


@pytest.mark.parametrize("text", [*SOURCE, *LISTED])
def test_neither_complains(text: str) -> None:
    complaints, errors = ComplaintLines(), ErrorLines()
    complaints.feed(Line("tree.txt", 1, text))
    errors.feed(Line("tree.txt", 1, text))
    assert [*complaints.finish(), *errors.finish()] == []


@given(st.text(alphabet="constdef ()<>;:='\"./-rwx07 [{}]|&#\n", max_size=200))
def test_any_text_gives_an_answer(text: str) -> None:
    assert isinstance(is_source(text), bool)
    assert isinstance(is_listing(text), bool)
