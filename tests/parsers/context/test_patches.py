"""Marks of a patch."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from slowlink.inputs import Input
from slowlink.parsers.context.patches import FACTS, PATCH_MARK
from slowlink.parsers.reading.read import read


def marks(text: str) -> list[str]:
    records = read([Input("mail.txt", None, [text.encode()])], workers=1)
    return [each.subject for each in records.observations if each.kind == PATCH_MARK]


def test_each_kind_counts_once() -> None:
    text = "".join(f"{sample}\n" for fact in FACTS for sample in (*fact.samples, *fact.samples))
    assert marks(text) == [
        *("Signed-off-by", "Reviewed-by", "Acked-by", "Co-developed-by", "Suggested-by", "diff", "subject"),
        *("hunk", "file", "commit", "alert-rule"),
    ]


def test_words_about_patches_are_no_marks() -> None:
    assert marks("Please add a Signed-off-by: line.\nRun diff --git yourself.\nSubject: which PATCH do I need?\n") == []


@given(st.text(alphabet="Signed-off-by: @<>.x[PATCH]diff --git a/b\n", max_size=200))
def test_any_text_gives_a_result(text: str) -> None:
    assert set(marks(text)) <= {fact.subject for fact in FACTS}
