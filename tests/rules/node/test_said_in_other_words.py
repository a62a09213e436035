from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, said

from slowlink.catalog.complaints import parts
from slowlink.rules.node.said_in_other_words import CAUSES

CHECK = """\
nightly check of gpu-041 begins
FAIL: port mlx5_3/1 is DOWN
GPU count mismatch on node gpu-041: expected 8, got 7
0 NVLinks inactive, PCIe width x16 (expected x16)
nightly check of gpu-041 ends
"""


def test_a_health_check_of_a_site() -> None:
    assert said("said-in-other-words", CHECK) == snapshot(
        [
            ("port-down", "error", "possible", "a line says: FAIL: port mlx5_3/1 is DOWN"),
            (
                "gpu-missing",
                "error",
                "possible",
                "gpu-041: a line says: GPU count mismatch on node gpu-041: expected 8, got 7",
            ),
        ]
    )


def test_the_parts_that_it_names_are_suspects() -> None:
    assert [[(s.kind, s.name) for s in f.suspects] for f in findings_of("said-in-other-words", CHECK)] == snapshot(
        [[("port", "mlx5_3/1")], [("node", "gpu-041")]]
    )


def test_two_lines_make_it_likely() -> None:
    text = "mlx5_2 link flapped 14 times today\nmlx5_3 link flapped 3 times today\n"
    assert said("said-in-other-words", text) == snapshot(
        [
            (
                "link-flapping",
                "error",
                "likely",
                "a line says: mlx5_2 link flapped 14 times today (and 1 more such line)",
            )
        ]
    )


def test_a_setting_is_a_warning() -> None:
    assert said("said-in-other-words", "scaling governor: schedutil (should be performance)\n") == snapshot(
        [
            (
                "cpu-governor-not-performance",
                "warning",
                "possible",
                "a line says: scaling governor: schedutil (should be performance)",
            )
        ]
    )


def test_a_lost_carrier_must_come_again() -> None:
    once = "networkd[531]: ib6: lost carrier\n"
    assert findings_of("said-in-other-words", once) == ()
    assert [cause for cause, *_ in said("said-in-other-words", once * 3)] == ["link-flapping"]


def test_a_line_that_a_tool_printed_is_not_said_in_other_words() -> None:
    assert findings_of("said-in-other-words", "CA 'mlx5_3'\n\tPort 1:\n\t\tState: Down\n") == ()


def test_advice_is_no_finding() -> None:
    assert findings_of("said-in-other-words", "Make sure that no port is down and that all GPUs are present.\n") == ()


def test_it_declares_every_cause_of_the_catalogue() -> None:
    assert set(CAUSES) == {cause for part in parts() for cause in part.means.values()}


def test_the_name_of_a_gpu_in_the_line_hides_no_complaint() -> None:
    assert said("said-in-other-words", "GPU 3 (H100) on gpu07 has fallen off the bus\n") == snapshot(
        [("gpu-missing", "error", "possible", "a line says: GPU 3 (H100) on gpu07 has fallen off the bus")]
    )


def test_a_guess_is_a_note_and_beside_a_statement_it_is_not_told() -> None:
    guess = "maybe the NVLink of GPU 3 is down\n"
    assert said("said-in-other-words", guess) == snapshot(
        [("nvlink-down", "info", "possible", "somebody guesses: maybe the NVLink of GPU 3 is down")]
    )
    assert said("said-in-other-words", guess + "FAIL: GPU 3 NVLink is down\n") == snapshot(
        [("nvlink-down", "error", "possible", "a line says: FAIL: GPU 3 NVLink is down")]
    )
