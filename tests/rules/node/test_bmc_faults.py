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


BRAKE = HEAD + "   7 | 05/11/2026 | 03:14:03 | Processor GPU Power Brake | State Asserted | Asserted\n"
LET_GO = "   8 | 05/11/2026 | 03:16:03 | Processor GPU Power Brake | State Asserted | Deasserted\n"
OTHER_STATE = "   8 | 05/11/2026 | 03:16:03 | Processor GPU Power Brake | State Deasserted | Asserted\n"
HOLDS = "root@gpu07:~# ipmitool sdr elist\nGPU_POWER_BRAKE  | 4Ah | ok  |  8.1 | State Asserted\n"


def test_the_power_brake_itself_until_it_is_let_go() -> None:
    assert [said(RULE, BRAKE), said(RULE, HOLDS)] == snapshot(
        [
            [
                (
                    "power-brake",
                    "error",
                    "possible",
                    "gpu07: the power brake of the GPUs is pulled (Processor GPU Power Brake: State Asserted)",
                )
            ],
            [
                (
                    "power-brake",
                    "error",
                    "likely",
                    "gpu07: the power brake of the GPUs is pulled (GPU_POWER_BRAKE: State Asserted)",
                )
            ],
        ]
    )
    assert findings_of(RULE, BRAKE + LET_GO) == ()
    assert findings_of(RULE, BRAKE + OTHER_STATE) == ()
    assert findings_of(RULE, HOLDS.replace("State Asserted", "State Deasserted")) == ()


def test_events_that_are_numbered_as_lines_are() -> None:
    """The reader takes such numbers out."""
    brake = BRAKE.removeprefix(HEAD).partition("|")[2]
    told = "".join(f" {number} |{brake.replace('Brake', f'Brake {number}')}" for number in range(1, 6))
    assert said(RULE, HEAD + told) == snapshot(
        [
            (
                "power-brake",
                "error",
                "possible",
                "gpu07: the power brake of the GPUs is pulled (Processor GPU Power Brake 1, Processor GPU Power Brake 2, Processor GPU Power Brake 3 and 2 more: State Asserted)",
            )
        ]
    )
