from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.model.source import Line
from slowlink.parsers.context.setting_headings import PARSER
from slowlink.parsers.forms.interface import Use


def told(*lines: str) -> list[tuple[str, str]]:
    parser = PARSER()
    for number, line in enumerate(lines, 1):
        assert (parser.feed(Line("a.log", number, line)) is not Use.NOT_MINE) == PARSER.wants(line)
    return [(setting.name, setting.value) for setting in parser.finish()]


def test_headings_with_what_was_set() -> None:
    assert told(
        "### NCCL_MAX_NCHANNELS=4",
        "===== NCCL_PROTO=LL128, NCCL_ALGO=Ring (2 nodes) =====",
        "--- run 2: NCCL_IB_HCA=mlx5_0:1,mlx5_1:1 ---",
        "** UCX_TLS = rc,cuda **",
    ) == snapshot(
        [
            ("NCCL_MAX_NCHANNELS", "4"),
            ("NCCL_PROTO", "LL128"),
            ("NCCL_ALGO", "Ring"),
            ("NCCL_IB_HCA", "mlx5_0:1,mlx5_1:1"),
            ("UCX_TLS", "rc,cuda"),
        ]
    )


def test_headings_with_what_was_not_set() -> None:
    assert told("## NCCL_PROTO unset", "== without NCCL_MAX_NCHANNELS ==", "--- NCCL_ALGO default ---") == snapshot(
        [("NCCL_PROTO", ""), ("NCCL_MAX_NCHANNELS", ""), ("NCCL_ALGO", "")]
    )


@pytest.mark.parametrize(
    "line",
    [
        "# NCCL_ALGO=Ring",
        "#export NCCL_ALGO=Ring",
        "### results",
        "--- a/NCCL_ALGO",
        "## SIZE_MAX=4",
        "-- use NCCL_ALGO with care",
        "NCCL_ALGO=Ring",
    ],
)
def test_what_is_no_heading_of_a_setting(line: str) -> None:
    assert told(line) == []


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n") | st.sampled_from("#=- N_C"))))
def test_any_text_is_taken_or_refused(lines: list[str]) -> None:
    told(*lines)
