"""What PyTorch's analyser of flight recorders prints: ``torchfrtrace DIR``, ``fr_trace.py``.

It compares the calls of all ranks and prints a block for each number under which they differ::

    Collective sequence number: 41 has errors
    internal record id: 40
    group info: 0:default_pg
    collective: nccl:all_reduce
    input sizes: [[1024]]
    output sizes: [[1024]]
    world size: 4
    expected ranks: {0, 1, 2, 3}
    collective state: scheduled
    error msg: Culprit rank 2; Error type: SIZE_OR_SYNTAX_MISMATCH
    collective stack trace:
     forward at /srv/app/train.py:88

Most errors have words behind them: ``, Expected collective type: 'all_reduce' does not match found ...``

Source: ``tools/flight_recorder`` of PyTorch 2.4 to 2.8 and ``torch/distributed/flight_recorder`` since. 2.4 and 2.5
print group, operation and missing ranks in the first line. The rank that it calls culprit differs from the first rank
that it looked at; that one may be the odd one itself.
"""

from __future__ import annotations

from typing import ClassVar

from slowlink.parsers.forms.message_table import DetailPattern, EventPattern, MessageParser, NoisePattern

MISSING = "torch-rank-missing"
DIFFER = "flight-calls-differ"
NO_DUMPS = "flight-dumps-missing"
NO_ERROR = "flight-no-error"
PAIRS = "flight-pairs-differ"

_RANKS = r"\{(?P<ranks>[\d, ']{1,4000})\}"
_GROUP = r"for group (?P<group>\S{1,200}) collective (?P<op>\w+:\w+)"
_IN_GROUP = r"group info: (?P<group>[^\n]{1,200})"

MESSAGES = (
    EventPattern(
        MISSING,
        "Not all ranks joining collective",
        r"Not all ranks joining collective(?:, sequence number:|:|,)? (?P<collective>\d+)(?: at entry (?P<entry>\d+))?",
        ("Not all ranks joining collective 5 at entry 4", "Not all ranks joining collective, sequence number: 7"),
    ),
    EventPattern(
        MISSING,
        "Not all ranks joining collective",
        rf"Not all ranks joining collective {_GROUP} {{1,4}}Missing ranks are {_RANKS}",
        ("Not all ranks joining collective for group 7:dp collective nccl:all_reduce Missing ranks are {3, 9}",),
    ),
    EventPattern(
        DIFFER,
        "has errors",
        r"Collective sequence number: (?P<seq>\d+) has errors\s*$",
        ("Collective sequence number: 41 has errors",),
    ),
    EventPattern(
        DIFFER,
        " at entry ",
        r"Collective (?P<seq>\d+) at entry \d+ errors\s*$",
        ("Collective 41 at entry 40 errors",),
    ),
    EventPattern(
        DIFFER,
        "errors for group",
        rf"Collective (?:\d+ )?errors {_GROUP}(?: {{1,4}}Found errors: (?P<culprits>[A-Z_, ]{{1,400}}))?",
        (
            "Collective 41 errors for group 0:default_pg collective nccl:all_reduce  [[9]] [[9]] 4 scheduled",
            "Collective errors for group 0:default_pg collective nccl:all_reduce Found errors: SIZE_OR_SYNTAX_MISMATCH",
        ),
    ),
    EventPattern(
        DIFFER,
        "Input/output mismatch in the collective",
        r"(?P<totals>Input/output mismatch) in the collective(?: sequence number:)? (?P<seq>\d+)",
        (
            "Input/output mismatch in the collective sequence number: 41",
            "Input/output mismatch in the collective 41 at entry 40",
        ),
    ),
    EventPattern(
        DIFFER,
        "Mismatched collective on rank",
        rf"Mismatched collective on rank (?P<odd>\d+) {_GROUP}",
        ("Mismatched collective on rank 2 for group 0:default_pg collective nccl:all_reduce",),
    ),
    EventPattern(
        NO_DUMPS,
        "FR dumps from ranks",
        rf"because we missed FR dumps from ranks \({_RANKS}\)",
        (
            "We cannot decide what's wrong with this collective entry because we missed FR dumps from ranks ({2, 3}) "
            "so we don't have enough information. If you want to debug further use -j to dump all raw trace",
        ),
    ),
    EventPattern(
        NO_DUMPS,
        "Missing dump files from ranks",
        rf"Missing dump files from ranks {_RANKS}",
        ("AssertionError: Missing dump files from ranks {2, 3}",),
    ),
    EventPattern(
        NO_ERROR,
        "No errors found for this collective entry",
        r"No errors found for this collective entry",
        (
            "No errors found for this collective entry, There could be some other reasons why we see collective "
            "timeout.",
        ),
    ),
    EventPattern(PAIRS, "MISMATCH", r"^\s*MISMATCH\s*$", ("MISMATCH ",)),
)

DETAILS = (
    DetailPattern((MISSING,), "missing ranks", rf"^\s*missing ranks: {_RANKS}", ("missing ranks: {1, 7}",)),
    DetailPattern((MISSING, DIFFER), "group info", rf"^\s*{_IN_GROUP}", ("group info: 0:default_pg",)),
    DetailPattern(
        (MISSING, DIFFER),
        "ollective: ",
        r"^\s*collective: (?P<op>[\w-]{1,20}:\w+(?: \d+(?:->|<-)[\d?]+)?)",
        ("collective: nccl:all_reduce", "collective: nccl:send 0->1"),
    ),
    DetailPattern((DIFFER,), "input sizes", r"^\s*input sizes: (?P<sizes>\[.{0,400}\])$", ("input sizes: [[1024]]",)),
    DetailPattern(
        (DIFFER,), "total input numel", r"^\s*total input numel: (?P<input_numel>\d+)", ("total input numel: 4096",)
    ),
    DetailPattern(
        (DIFFER,), "total output numel", r"^\s*total output numel: (?P<output_numel>\d+)", ("total output numel: 4000",)
    ),
    DetailPattern(
        (MISSING, DIFFER),
        "expected ranks",
        r"^\s*expected ranks: (?:\{(?P<expected>[\d, ]{1,4000})\}|(?P<world>\d+))",
        ("expected ranks: {0, 1}", "expected ranks: 4"),
    ),
    DetailPattern((MISSING, DIFFER), "world size", r"^\s*world size: (?P<world>\d+)", ("world size: 4",)),
    DetailPattern(
        (DIFFER,), "collective state", r"^\s*collective state: (?P<state>\w+)", ("collective state: started",)
    ),
    DetailPattern(
        (DIFFER,),
        "rror",
        r"^\s*(?:error msg|error message|Found errors): (?P<culprits>(?:Culprit|Error) rank .{1,4000})",
        (
            "error msg: Culprit rank 1; Error type: SIZE_OR_SYNTAX_MISMATCH",
            "Found errors: Error rank 1, Error type: COLLECTIVE_STATE_MISMATCH",
        ),
    ),
    DetailPattern(
        (MISSING, DIFFER),
        ".py:",
        r"^\s*(?P<frame>\S{1,120} at (?!\S*/torch/)\S{1,300}\.py:\d{1,7})$",
        ("f at /w/a.py:8",),
    ),
    DetailPattern(
        (PAIRS,),
        "(s=",
        r"(?P<pairs>(?:send|recv)\(s=\d+ d=\d+,? .{1,300})",
        ("send(s=0 d=1, input_sizes=[[9]], state=scheduled)  recv(s=0 d=1, input_sizes=[[8]], state=scheduled)",),
    ),
)

NOISE = (
    NoisePattern(
        "internal record id",
        r"^\s*internal record id: \d+",
        ("internal record id: 40",),
    ),
    NoisePattern("put sizes: ", r"^\s*(?:in|out)put sizes: \[", ("output sizes: [[1024]]",)),
    NoisePattern("collective state: ", r"^\s*collective state: \w+$", ("collective state: scheduled",)),
    NoisePattern("ollective stack trace", r"^\s*[Cc]ollective stack traces?:", ("collective stack trace: ",)),
    NoisePattern(
        ".py:", r"^\s*\S{1,120} at \S{1,300}\.py:\d{1,7}$", ("wrapper at /x/torch/distributed/c10d_logger.py:83",)
    ),
    NoisePattern(
        "Too many mismatches for process_group",
        r"Too many mismatches for process_group ",
        ("Too many mismatches for process_group 0: default_pg aborting",),
    ),
    NoisePattern(
        "a non-matching collective",
        r"^\s*appending a non-matching collective",
        ("appending a non-matching collective",),
    ),
    NoisePattern("built groups, memberships", r"^\s*built groups, memberships", ("built groups, memberships",)),
    NoisePattern(
        "built collectives, nccl_calls", r"^\s*built collectives, nccl_calls", ("built collectives, nccl_calls",)
    ),
    NoisePattern(
        "trace does not start at time",
        r"^\s*Rank \d+ trace does not start at time 0",
        ("Rank 3 trace does not start at time 0 (first record is 12.",),
    ),
)


class FlightAnalysis(MessageParser):
    """Events of the analyser: ranks that did not join, calls that differ, dumps that it misses."""

    kind: ClassVar[str] = "flight-analysis"
    digits_alike: ClassVar[bool] = True
    origin: ClassVar[str] = "pytorch"
    messages: ClassVar[tuple[EventPattern, ...]] = MESSAGES
    details: ClassVar[tuple[DetailPattern, ...]] = DETAILS
    noise: ClassVar[tuple[NoisePattern, ...]] = NOISE


PARSER = FlightAnalysis
