"""What pages and editors do to a text is undone line by line; a text without their marks passes untouched."""

from __future__ import annotations

import html

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink.inputs.disguise import LONGEST_LINE, undisguised, ways_of


def undone(text: str, pieces: int = 1) -> str:
    data = text.encode()
    size = max(1, len(data) // pieces)
    parts = [data[at : at + size] for at in range(0, len(data), size)]
    return b"".join(undisguised(parts, data[:65536])).decode()


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("a &lt;0&gt; &quot;b&quot; &amp; c\n", 'a <0> "b" & c\n'),
        ("&#39;x&#39; &#x27;y&#x27;\n", "'x' 'y'\n"),
        ("<pre>one\ntwo</pre>\n", "one\ntwo\n"),
        ('<td>8</td><td class="n">2.5</td><br/>\n', "8  2.5  \n"),
        ("a\u00a0b\u200bc\n", "a bc\n"),
        ("one\rtwo\rthree", "one\ntwo\nthree"),
        ("&lt;p&gt; is a tag\n", "<p> is a tag\n"),
    ],
)
def test_each_disguise(text: str, plain: str) -> None:
    assert undone(text) == plain
    assert undone(text, pieces=7) == plain


@pytest.mark.parametrize(
    "text",
    [
        "eth0:10.0.0.7<0> and [0]<stdout>: text\n",
        "https://host/page?a=1&amp;b=2\n",
        '<?xml version="1.0"?>\n<topology>\n<a name="x &lt; y">&quot;</a>\n',
        "a < b && c > d; &lt without an end\n",
        "std::vector<int> <redacted:token> <p2p>\n",
        "10%\r20%\r30%\ndone\n",
        "control &#27; characters\n",
    ],
)
def test_what_is_no_disguise_stays(text: str) -> None:
    assert undone(text) == text


def test_an_entity_makes_no_control_character_and_no_line() -> None:
    assert undone("&lt;&#27;[31m&#10;&#0;&#xd800;&#127;&#9999999;\n") == "<&#27;[31m&#10;&#0;&#xd800;&#127;&#9999999;\n"


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from("\n<>&;ltgquop#/")), st.integers(1, 9))
def test_lines_keep_their_numbers_and_pieces_do_not_matter(text: str, pieces: int) -> None:
    once = undone(text)
    assert once.count("\n") == text.count("\n")
    assert undone(text, pieces) == once


@given(
    st.text(
        st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\u00a0\u202f\u2007\u200b\u2060\ufeff\u00ad")
    )
)
def test_an_escaped_text_is_the_text(text: str) -> None:
    shown = f"<{text}>"
    escaped = html.escape(shown)
    if "</" not in shown and "br" not in shown:
        assert undone(escaped) == shown


@given(
    st.text(
        st.characters(
            exclude_categories=["Cs", "Cc"], exclude_characters="<&\u00a0\u202f\u2007\u200b\u2060\ufeff\u00ad"
        )
    )
)
def test_a_text_without_marks_has_no_disguise(text: str) -> None:
    assert ways_of(text) == ()
    assert undone(text) == text


def test_a_line_without_end_is_bounded() -> None:
    text = "&lt;" + "ä" * LONGEST_LINE + "&gt;"
    assert undone(text, pieces=5) == "<" + "ä" * LONGEST_LINE + ">"
