"""A password that was made stands alone below the line that announces it; other lines below such a line stay."""

from __future__ import annotations

import pytest

from redact.test_planted import redacted


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Initial password:\nx7Kq2mPw\nnext\n", "Initial password:\n<redacted:password>\nnext\n"),
        ("following password to log in:\n\n  x7Kq2mPw\n", "following password to log in:\n\n  <redacted:password>\n"),
        ("2: new password:\n3: x7Kq2mPw\n2: x7Kq2mPw\n", "2: new password:\n3: x7Kq2mPw\n2: <redacted:password>\n"),
        ("new password:\n- x7Kq2mPw\n", "new password:\n- <redacted:password>\n"),
    ],
)
def test_what_was_announced_is_taken_out(text: str, expected: str) -> None:
    assert redacted(text) == expected
    assert redacted(expected) == expected


@pytest.mark.parametrize(
    "text",
    [
        "new password:\nstep12 is done\n",
        "the following secret:\nhf-token is missing\n",
        "initial password:\nnode07: x7Kq2mPw9\n",
        "passwords of the new nodes:\nx7Kq2mPw\n",
    ],
)
def test_other_lines_below_it_stay(text: str) -> None:
    assert redacted(text) == text


def test_the_text_of_an_element_goes_on_for_one_line_at_most() -> None:
    text = "<auth-user-pass>\nann\nx7Kq2mPw\n</auth-user-pass>\nnode07 is up\n"
    assert redacted(text) == text.replace("ann", "<redacted:secret>").replace("x7Kq2mPw", "<redacted:secret>")
    never_closed = "<password>\nx7Kq2mPw\nnode07 is up\nnode08\n"
    assert redacted(never_closed) == "<password>\n<redacted:secret>\nnode07 is up\nnode08\n"
