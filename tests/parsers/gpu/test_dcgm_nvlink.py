"""dcgmi nvlink --link-status: letters of links."""

from __future__ import annotations

import re

from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.model.source import Line
from slowlink.parsers.gpu.dcgm_nvlink import DcgmNvlink

LINKS = """\
+----------------------+
|  NvLink Link Status  |
+----------------------+
GPUs:
    gpuId 0:
        U U D X _
    gpuId 1:
        U U
NvSwitches:
    physicalId 12:
        U D D X
Key: Up=U, Down=D, Disabled=X, Not Supported=_
""".splitlines()


def told(lines: list[str]) -> list[tuple[str, str, object]]:
    return [(found.attribute, found.part.name, found.value) for found in feed(DcgmNvlink, lines)]


def test_link_states_of_gpus() -> None:
    assert told(LINKS) == snapshot(
        [
            ("nvlink-active", "0/0", True),
            ("nvlink-active", "0/1", True),
            ("nvlink-active", "0/2", False),
            ("nvlink-active", "1/0", True),
            ("nvlink-active", "1/1", True),
        ]
    )


def test_letters_without_their_gpu_are_nobodys() -> None:
    assert told([*LINKS[:4], *LINKS[5:6]]) == []
    assert told(LINKS[4:]) == []


def test_an_output_that_is_cut_gives_the_gpus_above() -> None:
    assert [part for _, part, _ in told(LINKS[:7])] == ["0/0", "0/1", "0/2"]


def test_which_digits_stand_in_a_line_does_not_matter() -> None:
    for text in LINKS:
        assert DcgmNvlink.wants(text) == DcgmNvlink.wants(re.sub(r"\d", "0", text))


@given(st.lists(st.sampled_from(LINKS) | st.text(max_size=30), max_size=12), st.integers(0, 50))
def test_any_text_gives_a_result(lines: list[str], cut: int) -> None:
    reader = DcgmNvlink()
    for number, text in enumerate(lines, 1):
        reader.feed(Line("t", number, text[:cut]))
    assert all(1 <= found.ref.line <= len(lines) for found in reader.finish())
