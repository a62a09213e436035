from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

RULE = "bmc-faults"
HEAD = "root@gpu07:~# ipmitool sel elist\n"
LOST = HEAD + "   5 | 05/11/2026 | 03:14:02 | Power Supply PS2 Status | Power Supply AC lost | Asserted\n"
BACK = "   6 | 05/11/2026 | 03:20:41 | Power Supply PS2 Status | Power Supply AC lost | Deasserted\n"
FAN = "root@gpu07:~# ipmitool sdr type Fan\nFAN3             | 43h | cr  | 29.3 | 480 RPM\n"


def test_a_supply_without_input_and_a_fan_that_stands_still() -> None:
    assert said(RULE, LOST) == snapshot(
        [
            (
                "power-brake",
                "warning",
                "possible",
                "gpu07: a power supply failed or has no input, so that the machine may brake its GPUs "
                "(Power Supply PS2 Status: Power Supply AC lost)",
            )
        ]
    )
    assert said(RULE, FAN) == snapshot([("node-too-hot", "error", "likely", "gpu07: a fan failed (FAN3: 480 RPM)")])


def test_what_was_taken_back_is_over() -> None:
    assert findings_of(RULE, LOST + BACK) == ()


def test_sound_sensors_are_silent() -> None:
    assert findings_of(RULE, FAN.replace("| cr  |", "| ok  |").replace("480", "8400")) == ()


def test_it_says_what_to_do() -> None:
    assert remedies_of(RULE, FAN) == snapshot(
        [[("Replace the fan; compare temperatures with another node.", "ipmitool sdr type Fan")]]
    )
