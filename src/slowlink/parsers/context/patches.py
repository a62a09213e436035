"""What shows that a text is a patch, a commit message or mail about one: its trailers, its subject, its files::

    Subject: [PATCH v2 3/7] EDAC/demo: Report errors once
    Signed-off-by: Some Body <some@example.org>
    diff --git a/drivers/edac/demo.c b/drivers/edac/demo.c

Kernel messages in such a text are examples: they tell what a driver prints, and not how a machine is.

Source: git's formats (git-format-patch, git-interpret-trailers); the kernel's "Submitting patches" names the trailers.
"""

from __future__ import annotations

from typing import ClassVar

from slowlink.parsers.forms.observation_table import Fact, ObservationParser

PATCH_MARK = "patch-mark"

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
        "subject",
        informative=True,
    ),
)


class Patches(ObservationParser):
    """Marks of a patch, each kind once."""

    kind: ClassVar[str] = "patch"
    facts: ClassVar[tuple[Fact, ...]] = FACTS


PARSER = Patches
