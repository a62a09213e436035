"""rocm-smi --showrasinfo: errors of a GPU's blocks."""

from __future__ import annotations

from feeding import feed
from gpu_reading import told, unread
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.parsers.forms.lines import shape_of
from slowlink.parsers.gpu.rocm_ras import RocmRas

RAS = """\
GPU[2]\t\t: \tRAS INFO
         Block       Status       Correctable Error       Uncorrectable Error
           UMC      ENABLED                       5                         1
          SDMA      ENABLED                       0                         2
     XGMI_WAFL      ENABLED                       0                         0
"""
LINES = RAS.splitlines()


def test_blocks_are_added_up() -> None:
    assert told(RocmRas, RAS) == snapshot(
        [
            ("gpu 2", "xgmi-errors", 0),
            ("gpu 2", "gpu-ecc-volatile-correctable", 5),
            ("gpu 2", "gpu-ecc-volatile-uncorrectable", 3),
        ]
    )


def test_nothing_of_it_stays_unread() -> None:
    assert unread(RAS) == []


def test_each_gpu_has_its_own_sum_at_the_row_that_matters_most() -> None:
    second = RAS.replace("GPU[2]", "GPU[3]").replace("  2\n", "  0\n")
    assert [(r.part.name, r.value, r.ref.line) for r in feed(RocmRas, (RAS + second).splitlines())] == snapshot(
        [("2", 0, 5), ("2", 5, 4), ("2", 3, 4), ("3", 0, 10), ("3", 5, 8), ("3", 1, 8)]
    )


def test_rows_without_their_gpu_or_heading_are_not_ours() -> None:
    assert told(RocmRas, "\n".join(LINES[1:])) == []
    assert told(RocmRas, "\n".join([LINES[0], *LINES[2:]])) == []


def test_which_digits_stand_in_a_line_does_not_matter() -> None:
    for text in LINES:
        assert RocmRas.wants(text) == RocmRas.wants(shape_of(text).decode()), text


@given(st.lists(st.sampled_from(LINES) | st.text(max_size=60), max_size=25), st.integers(0, 90))
def test_any_text_gives_a_result(lines: list[str], cut: int) -> None:
    for found in feed(RocmRas, [line[:cut] for line in lines]):
        assert found.part.kind == "gpu"
        assert 1 <= found.ref.line <= len(lines)
