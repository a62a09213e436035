"""The file ``hostname`` of an archive."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from slowlink.model.source import Line
from slowlink.parsers.context.hostname_files import HostnameFiles


def names(source: str, *lines: str) -> list[str | None]:
    parser = HostnameFiles()
    for number, text in enumerate(lines, 1):
        parser.feed(Line(source, number, text))
    return [origin.node for origin in parser.finish()]


def test_its_first_line_is_the_node() -> None:
    assert names("sos.tar.xz!sos-7/etc/hostname", "alpha7.example.org", "beta8") == ["alpha7.example.org"]
    assert names("sos/sos_commands/host/hostname_-f", "alpha7") == ["alpha7"]
    assert names("sos/sos_commands/host/hostnamectl", "Static") == []


def test_a_bare_word_elsewhere_names_no_node() -> None:
    for source, text in (("job.log", "alpha7"), ("a!etc/hostname", "localhost"), ("a!etc/hostname", "not a name")):
        assert names(source, text) == []


@given(st.text(max_size=100))
def test_any_text_gives_a_result(text: str) -> None:
    assert len(names("a!etc/hostname", text)) <= 1
