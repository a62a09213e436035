"""Lines that say which addresses of RAS were asked."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from slowlink.inputs import Input
from slowlink.model.hang import RasAsked
from slowlink.model.records import Records
from slowlink.parsers.reading.read import read

MARK = (
    "#slowlink-transcript 1 c0ffee host gpu07 at 1795000000.0\n#slowlink-frame c0ffee begin nccl-ras at 1795000000.1\n"
)


def records(text: str) -> Records:
    return read([Input("node.txt", None, [text.encode()])], workers=1)


def asked(text: str) -> list[tuple[str, float, str, str, int | None, str | None]]:
    found: tuple[RasAsked, ...] = records(text).ras_asked
    return [(each.address, each.at, each.outcome, each.detail, each.last_line, each.host) for each in found]


def test_addresses_with_how_it_ended_and_the_node() -> None:
    text = (
        MARK
        + "slowlink-ras 1795000000 localhost:28028 by python3\nan answer\n\nslowlink-ras end localhost:28028 answered\n"
        "slowlink-ras 1795000001 ::1:29000 by bash\nslowlink-ras end ::1:29000 cut: it ends before its end\n"
        "slowlink-ras 1795000002 gpu07:1 by -\n"
    )
    assert asked(text) == [
        ("localhost:28028", 1_795_000_000.0, "answered", "", 6, "gpu07"),
        ("::1:29000", 1_795_000_001.0, "cut", "it ends before its end", 8, "gpu07"),
        ("gpu07:1", 1_795_000_002.0, "", "", None, "gpu07"),
    ]


def test_an_end_of_another_address_ends_nothing() -> None:
    text = "slowlink-ras 1795000000 localhost:1 by python3\nslowlink-ras end localhost:2 answered\n"
    assert [each[2] for each in asked(text)] == [""]


@given(st.lists(st.sampled_from(["slowlink-ras ", "1795", " localhost:1", " by x", "end", " answered", ": ", "\n"])))
def test_any_text_is_read(words: list[str]) -> None:
    records("".join(words))
