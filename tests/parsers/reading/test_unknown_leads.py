"""What stands before every line and is in no list of prefixes costs nothing of what these say."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink.inputs import Input
from slowlink.model.records import Records
from slowlink.parsers.forms.lines import Dialect
from slowlink.parsers.reading.read import read

IBSTAT = """\
CA 'mlx5_0'
\tCA type: MT4129
\tNumber of ports: 1
\tFirmware version: 28.43.2026
\tHardware version: 0
\tNode GUID: 0xa088c20300aa2000
\tSystem image GUID: 0xa088c20300aa2000
\tPort 1:
\t\tState: Down
\t\tPhysical state: Polling
\t\tRate: 10
\t\tBase lid: 65535
\t\tLMC: 0
\t\tSM lid: 1
\t\tCapability mask: 0xa751e848
\t\tPort GUID: 0xa088c20300aa2000
\t\tLink layer: InfiniBand
"""
LINES = IBSTAT.rstrip("\n").split("\n")


def before(lead: str, after: str = "") -> str:
    return "".join(f"{lead.replace('@', str(10 + at))}{line}{after}\n" for at, line in enumerate(LINES))


def records(wrapped: Callable[[str], object]) -> str:
    return "".join(json.dumps(wrapped(line)) + "\n" for line in LINES)


def document(wrapped: Callable[[str], object], outside: Callable[[list[object]], object]) -> str:
    return json.dumps(outside([wrapped(line) for line in LINES]), indent=1)


WRAPPED = {
    "stern": before("train-worker-0 nccl "),
    "GitHub, with the names of jobs": before("train\tRun test\t2026-11-28T10:11:@.1234567Z "),
    "GitLab": before("2026-11-28T10:11:@.123456Z 01O "),
    "RFC 5424": before("<13>1 2026-11-28T10:11:@.123Z node02 train 4005 - - "),
    "ts": before("Nov 28 10:11:@ "),
    "aws logs tail": before("2026-11-28T10:11:@.123000+00:00 train/node02/abcdef0123456789 "),
    "swarm": before("train.1.abcdefghij.node02    | "),
    "nl": "".join(f"{at:6d}  {line}\n" for at, line in enumerate(LINES, 1)),
    "items": before("- "),
    "remarks": before("# "),
    "a frame": "".join(f"│ {line:90} │\n" for line in LINES),
    "strings of a list": before('    "', '",'),
    "Fluent Bit": before('[0] tail.0: [17410830@.123456789, {"log"=>"', '"}]'),
    "logfmt": before('time="2026-11-28T10:11:@Z" level=info msg="', '" host=node02'),
    "logfmt, escaped": "".join(f'time="2026-11-28" level=info msg={json.dumps(line)} host=n7\n' for line in LINES),
    "Ray": before("(RayTrainWorker pid=4005, ip=10.1.2.3) ", " [repeated 7x across cluster]"),
    "rows of CSV": before('17410830721@,"', '"'),
    "Loki, a line": records(
        lambda line: {"streams": [{"stream": {"host": "n7"}, "values": [["1741083072123456", line]]}]}
    ),
    "Loki": document(
        lambda line: ["1741083072123456789", line],
        lambda all_: {"data": {"result": [{"stream": {"a": "b"}, "values": all_}]}},
    ),
    "CloudWatch": document(lambda line: {"timestamp": 1741083072123, "message": line}, lambda all_: {"events": all_}),
    "Insights": document(
        lambda line: [{"field": "@timestamp", "value": "2026"}, {"field": "@message", "value": line}],
        lambda all_: {"results": all_},
    ),
    "Elasticsearch": document(
        lambda line: {"_index": "l", "_source": {"@timestamp": "2026", "event": {"original": line}}},
        lambda all_: {"took": 1, "hits": {"hits": all_}},
    ),
    "Azure": document(lambda line: ["2026-11-28T10:11:12Z", line], lambda all_: {"tables": [{"rows": all_}]}),
    "Splunk": records(lambda line: {"preview": False, "result": {"_raw": line, "host": "node02"}}),
    "OpenTelemetry": records(
        lambda line: {"resourceLogs": [{"scopeLogs": [{"logRecords": [{"body": {"stringValue": line}}]}]}]}
    ),
    "JSON in JSON": records(lambda line: {"log": json.dumps({"msg": line}) + "\n", "stream": "stderr"}),
    "fluentd": "".join(
        f"2026-11-28T10:11:12+00:00\tkube.train\t{json.dumps({'log': line, 'stream': 'stderr'})}\n" for line in LINES
    ),
    "lines of a list": json.dumps({"results": {"node02": {"fabric": LINES}}}),
}


def read_text(text: str) -> Records:
    return read([Input("x.log", None, [text.encode()])], workers=1)


def ports(text: str) -> list[object]:
    return [(each.attribute, each.part.name, each.value) for each in read_text(text).readings]


@pytest.mark.parametrize("way", sorted(WRAPPED))
def test_an_unknown_lead_hides_nothing(way: str) -> None:
    assert ports(WRAPPED[way]) == ports(IBSTAT) != []


def test_it_is_learned_in_the_middle_of_another_log() -> None:
    steps = "".join(f"worker {at} did its part of the work\n" for at in range(200))
    assert ports(steps + before("train-worker-0 nccl ") + steps) == ports(IBSTAT)


def test_who_is_named_by_a_lead_keeps_its_own_lines() -> None:
    both = [f"pod-{who} main {line}\n" for line in LINES for who in (1, 2)]
    assert sorted(ports("".join(both)), key=str) == sorted(ports(IBSTAT) * 2, key=str)


PROSE = "".join(f"note: the port {name} of this node was seen in state {name}, as before\n" for name in "abcdefghijkl")


@pytest.mark.parametrize("text", [PROSE, IBSTAT, "- a\n- b\n" * 20, "x 1 2 3\n" * 20])
def test_what_is_no_lead_is_left_alone(text: str) -> None:
    from slowlink.parsers import line_parsers
    from slowlink.parsers.reading.leads.unknown import with_frames_of

    assert with_frames_of(text.encode(), Dialect(), line_parsers()) == Dialect()


@given(st.lists(st.text(max_size=40) | st.sampled_from(LINES), max_size=30), st.text(max_size=20))
def test_any_text_gives_a_dialect_that_reads_every_line(lines: list[str], lead: str) -> None:
    text = "".join(f"{lead}{line}\n" for line in lines)
    source = read_text(text).sources[0]
    assert source.used + source.ignored + source.unread == source.lines


def test_what_closes_lines_is_taken_from_lines_of_the_same_lead_alone() -> None:
    from slowlink.parsers import line_parsers
    from slowlink.parsers.reading.leads.unknown import with_frames_of, without_closings

    text = before('[0] tail.0: [1741083012, {"log"=>"', '"}]')
    dialect = with_frames_of(text.encode(), Dialect(), line_parsers())
    mine, others = text.split("\n")[1], '[{"nodes": [{"name": "n7"}]'
    assert without_closings([mine, others], dialect) == [mine.removesuffix('"}]'), others]
