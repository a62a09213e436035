"""Modules that are beyond limits of their own."""

from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, said

RULE = "module-alarms"
ASKED = "# ethtool -m ens1np0\n\tVendor name                               : WORKS\n"
FIRST = "\tLaser rx power low {}   (Channel 1)   : {}\n"
HOT = "\tModule temperature high alarm             : On\n"


def test_a_channel_that_gets_too_little_light() -> None:
    text = ASKED + FIRST.format("alarm", "On") + "\tRx loss of signal                         : [ No, Yes, No, No ]\n"
    assert said(RULE, text) == snapshot(
        [
            (
                "link-errors",
                "warning",
                "likely",
                "the module of ens1np0 is beyond its limits: rx power low alarm of channel 1 and rx loss of signal of channel 2",
            )
        ]
    )


def test_a_limit_of_warning_alone_is_only_possible() -> None:
    assert said(RULE, ASKED + FIRST.format("warning", "On")) == snapshot(
        [
            (
                "link-errors",
                "warning",
                "possible",
                "the module of ens1np0 is beyond its limits: rx power low warning of channel 1",
            )
        ]
    )


def test_a_module_within_its_limits_and_one_without_a_link_raise_nothing() -> None:
    assert findings_of(RULE, ASKED + FIRST.format("alarm", "Off") + FIRST.format("warning", "Off")) == ()
    assert findings_of(RULE, "# ethtool ens1np0\n\tLink detected: no\n" + ASKED + FIRST.format("alarm", "On")) == ()


def test_an_alarm_that_went_away_is_not_told() -> None:
    assert findings_of(RULE, ASKED + HOT + ASKED + HOT.replace("On", "Off")) == ()
