"""Kernel messages in patches and mail about them accuse no machine; in a report of a fault they do."""

from __future__ import annotations

import pytest

from slowlink.facts.assemble import assemble
from slowlink.inputs import Input
from slowlink.parsers.reading.read import read

FAULT = "[   31.2] EDAC MC0: 1 UE memory read error on CPU_SrcID#0_Ha#0_Chan#1_DIMM#0 (channel:1 slot:0 page:0x12)\n"
PATCH = f"""\
Subject: [PATCH v2] EDAC/demo: Report uncorrected errors once

The driver reports each error twice, as this log shows:

{FAULT}
Signed-off-by: Some Body <some@example.org>
---
diff --git a/drivers/edac/demo.c b/drivers/edac/demo.c
@@ -10,6 +10,7 @@ static int demo(void)
+\tprintk("NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.");
"""
REPORT = f"""\
Subject: uncorrected errors since yesterday

My node stops now and then. Its log:

{FAULT}
Reported-by: Some Body <some@example.org>
"""


def kinds(text: str) -> list[str]:
    facts = assemble(read([Input("mail.txt", None, [text.encode()])], workers=1))
    return [event.kind for event in facts.events.all] if facts.events is not None else []


def quoted(text: str) -> str:
    return "".join(f"> {line}\n" for line in text.splitlines())


@pytest.mark.parametrize("text", [PATCH, quoted(PATCH)])
def test_a_patch_accuses_no_machine(text: str) -> None:
    assert kinds(text) == []


@pytest.mark.parametrize("text", [FAULT, REPORT, quoted(REPORT), FAULT + "Signed-off-by: Some Body <a@example.org>\n"])
def test_a_report_does(text: str) -> None:
    assert len(kinds(text)) == 1


def test_what_a_launcher_says_stays_whatever_surrounds_it() -> None:
    said = "slurmstepd: error: *** STEP 7.0 ON gpu01 CANCELLED AT 2026-01-01T00:00:00 DUE TO TIME LIMIT ***\n"
    assert len(kinds(PATCH + said)) == 1


EXAMPLE = "    EDAC MC1: 1 UE memory read error on mc#1channel#0 (channel:0 slot:0 page:0x12)\n"
COMMIT = f"""\
commit 0123456789abcdef0123456789abcdef01234567
Author: Some Body <some@example.org>
Date:   Mon Mar 2 10:00:00 2031 +0000

    EDAC/demo: Say which rank it was

    The line does not tell the rank:

{EXAMPLE}"""
ANSWER = f"""\
Subject: Re: [PATCH 2/4] EDAC/demo: Say which rank it was

Why not print it like this:

{EXAMPLE}"""
DIFF = f"""\
--- a/Documentation/demo.rst
+++ b/Documentation/demo.rst
@@ -10,6 +10,7 @@ Messages
+{FAULT}+ERROR: the mesh of node07 is torn
"""


@pytest.mark.parametrize("text", [COMMIT, ANSWER, quoted(ANSWER), DIFF])
def test_neither_does_a_commit_an_answer_to_a_patch_or_a_bare_diff(text: str) -> None:
    assert kinds(text) == []


def test_a_log_with_stamps_in_an_answer_to_a_patch_does() -> None:
    assert len(kinds(ANSWER)) == 0
    assert len(kinds(ANSWER + FAULT)) == 1


def test_what_a_question_quotes_that_asks_whether_it_may_be_has_not_happened() -> None:
    assert kinds('Could "No space left on device" be the reason?\n') == []
    assert kinds('Why do we get "No space left on device"?\n') == ["no-space"]


def test_a_message_of_git_log_complains_of_nothing_and_lines_beside_it_do() -> None:
    log = "commit 0123456789abcdef0123456789abcdef01234567\nAuthor: A <a@example.org>\n\n"
    assert kinds(log + "    It failed because the IB port mlx5_2 was down\n") == []
    assert kinds(log + "    Fix it\n\nThe IB port mlx5_2 is down\n") == ["complaint"]


def test_what_the_rule_of_an_alert_would_say_has_not_happened() -> None:
    rule = "    - alert: NicDown\n      expr: up == 0\n      annotations:\n        message: port mlx5_2 is down\n"
    assert kinds(rule) == []
    assert kinds(rule + "port mlx5_3 is down\n") == ["complaint"]
    assert kinds(rule.partition("expr")[2]) == ["complaint"]
