"""What shows that a text is a patch, a commit message or mail about one: its trailers, its subject, its files::

    Subject: [PATCH v2 3/7] EDAC/demo: Report errors once
    Signed-off-by: Some Body <some@example.org>
    diff --git a/drivers/edac/demo.c b/drivers/edac/demo.c

Kernel messages in such a text are examples: they tell what a driver prints, and not how a machine is. So it is with
the rules of an alert: what they would say stands further in than their names.

Source: git's formats (git-format-patch, git-interpret-trailers); the kernel's "Submitting patches" names the trailers;
Prometheus' files of alerting rules.
"""

from __future__ import annotations

from typing import ClassVar

from slowlink.parsers.forms.observation_table import Fact, ObservationParser

PATCH_MARK = "patch-mark"
SUBJECT, COMMIT, ALERT = "subject", "commit", "alert-rule"
"""Marks of which one alone says that the text is about a patch, and not about a machine."""

_TRAILERS = ("Signed-off-by", "Reviewed-by", "Acked-by", "Co-developed-by", "Suggested-by")
_PERSON = r": .{1,80}<[^\s<>@]{1,64}@[^\s<>]{1,120}>\s*$"

FACTS = (
    *(
        Fact(
            PATCH_MARK,
            f"{trailer}: ",
            rf"^\s*{trailer}{_PERSON}",
            (f"{trailer}: Some Body <some@example.org>",),
            trailer,
            informative=True,  # rules are not asked: its source's kernel messages are taken out before
        )
        for trailer in _TRAILERS
    ),
    Fact(
        PATCH_MARK,
        "diff --git ",
        r"^\s*diff --git a/\S{1,200} b/\S{1,200}\s*$",
        ("diff --git a/drivers/edac/demo.c b/drivers/edac/demo.c",),
        "diff",
        informative=True,
    ),
    Fact(
        PATCH_MARK,
        "[PATCH",
        r"^\s*Subject:.{0,40}\[PATCH[^\]]{0,40}\]",
        ("Subject: Re: [PATCH v2 3/7] EDAC/demo: Report errors once",),
        SUBJECT,
        informative=True,
    ),
    Fact(
        PATCH_MARK,
        " @@",
        r"^\s*@@ -\d{1,7}(?:,\d{1,7})? \+\d{1,7}(?:,\d{1,7})? @@(?: |$)",
        ("@@ -10,6 +10,7 @@ static int demo(void)",),
        "hunk",
        informative=True,
    ),
    Fact(
        PATCH_MARK,
        "--- a/",
        r"^\s*--- a/\S{1,200}\s*$",
        ("--- a/drivers/edac/demo.c",),
        "file",
        informative=True,
    ),
    Fact(
        PATCH_MARK,
        "commit ",
        r"^\s*commit [0-9a-f]{40}(?: \(.{1,200}\))?\s*$",
        ("commit 0123456789abcdef0123456789abcdef01234567",),
        COMMIT,
        informative=True,
    ),
    Fact(
        PATCH_MARK,
        "From ",
        r"^From [0-9a-f]{40} \w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}$",
        ("From 0123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:00:00 2001",),
        COMMIT,
        informative=True,
    ),
    Fact(
        PATCH_MARK,
        "- alert: ",
        r"^\s*- alert: [\"']?[A-Za-z]\w{1,100}[\"']?\s*$",
        ("    - alert: DemoPortDown",),
        ALERT,
        informative=True,
    ),
)


class Patches(ObservationParser):
    """Marks of a patch, each kind once."""

    kind: ClassVar[str] = "patch"
    facts: ClassVar[tuple[Fact, ...]] = FACTS


PARSER = Patches
