from __future__ import annotations

from slowlink.inputs import Input
from slowlink.parsers.reading.read import read


def test_lines_of_the_profiler() -> None:
    def became(text: str) -> list[tuple[str, str]]:
        found = read([Input("node.txt", None, [text.encode()])], workers=1).observations
        return [(each.subject, each.value) for each in found]

    begins = "slowlink-profiler begins localhost:1 mask all\n"
    assert became(begins) == [("localhost:1", "left-on")]
    assert became(begins + "slowlink-profiler ready\nslowlink-profiler off localhost:1 mask none: no answer\n") == [
        ("localhost:1", "left-on")
    ]
    assert became(begins + "slowlink-profiler off localhost:1 mask none: OK\n") == [("localhost:1", "off")]
    assert became(begins + "slowlink-profiler refused localhost:1 ERROR\n") == [("localhost:1", "refused")]
