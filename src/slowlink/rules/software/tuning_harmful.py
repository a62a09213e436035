"""A setting is in force that usually lowers performance.

NCCL chooses algorithm, protocol, channels and buffers by itself for each size. A forced choice is right for one size
on one machine. Debug output at trace level, and switches that turn off peer-to-peer or shared memory, are for
diagnosis. Where the settings leave NCCL no algorithm at all, the run ends. LL as the only protocol, one or two channels
and small buffers cost bandwidth by what they are: they explain a benchmark that is below what it should be, or that
differs from a launch without them. Of the others it is only possible. Where NVLink SHARP is turned off and an
all-reduce inside one node stays below what it gives there, the loss is measured: that is an error.

Why it matters: such settings are copied from job to job and cost bandwidth, latency or GPU memory long after their
reason is gone.
How to confirm: the same test with the variable unset, three runs each way.
What to do: unset it, unless the comparison shows a gain here.
When it is wrong: forced on purpose for a test (NCCL_ALGO=Ring, which measures the network alone, is not reported), or
proven to help on this machine. What a plug-in sets itself, or the maker of the platform asks for
(``catalog/platforms/settings.toml``), is not reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from slowlink.expect.busbw import Prediction, predict
from slowlink.expect.case import Case
from slowlink.model.expectations import Expectations
from slowlink.model.facts import Environment, Sweeps, Warnings
from slowlink.model.nccl import EnvSetting
from slowlink.model.report import Finding
from slowlink.rules.evidence.commands import as_variable, command
from slowlink.rules.evidence.findings import finding, line_evidence, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import NCCL_ENV
from slowlink.rules.evidence.messages import FAILED_RUN, at_hosts, hosts_of, listed, refs_of, warned
from slowlink.rules.evidence.sweep_words import what_ran
from slowlink.units import tenths

CAUSES = ("tuning-harmful",)

# Name -> what any value of it does.
_FORCED = {
    "NCCL_PROTO": "forces the protocol for all sizes",
    "NCCL_ALGO": "forces the algorithm for all sizes",
    "NCCL_MAX_NCHANNELS": "limits the channels",
    "NCCL_MAX_CTAS": "limits the channels",
    "NCCL_BUFFSIZE": "sets the buffer size for all channels",
    "NCCL_NTHREADS": "sets the threads of each block",
}
# Name -> the largest value that surely costs bandwidth.
_COSTLY = {"NCCL_MAX_NCHANNELS": 2, "NCCL_MAX_CTAS": 2, "NCCL_BUFFSIZE": 1 << 19, "NCCL_NTHREADS": 64}
_MOST_DIGITS = 12
_NVLS = "CCL_NVLS_ENABLE"
# Name -> what the value 1 does.
_ON = {
    "NCCL_P2P_DISABLE": "turns peer-to-peer between GPUs off",
    "NCCL_SHM_DISABLE": "turns shared memory off",
    "NCCL_PXN_DISABLE": "turns PXN off",
}


def check(
    environment: Environment, warnings: Warnings | None, sweeps: Sweeps | None, expectations: Expectations | None
) -> Iterator[Finding]:
    """One finding for all settings, and one when they leave nothing to choose from."""
    excluded = warned(warnings, "no-algorithm")
    found = [(s, why) for s in _distinct(environment.settings) if (why := _harm(s, sweeps)) and not s.made_by]
    if excluded:
        names = [s.name for s, _ in found if s.name in ("NCCL_ALGO", "NCCL_PROTO")]
        yield finding(
            "tuning-harmful",
            f"{at_hosts(hosts_of(excluded))}no algorithm and protocol is left to choose from"
            + (f" with {listed(names)} set" if names else ""),
            severity="critical",
            confidence="likely",
            evidence=(*lines_evidence(refs_of(excluded)), *(line_evidence(s.ref) for s, _ in found[:2])),
            suspects=suspects("setting", names),
            explains=FAILED_RUN,
            remedy=[
                (
                    "Let NCCL choose.",
                    command("unset", *dict.fromkeys(map(as_variable, names or ["NCCL_ALGO", "NCCL_PROTO"]))),
                )
            ],
            references=[f"{NCCL_ENV}#nccl-algo"],
        )
    elif found:
        costly = any(_is_costly(s) for s, _ in found)
        lost = _lost_without_nvls(found, expectations)
        yield finding(
            "tuning-harmful",
            listed([f"{s.name}={s.value} {why}" for s, why in found], 3) + lost,
            severity="error" if lost else "warning",
            confidence="likely" if costly else "possible",
            evidence=[line_evidence(s.ref, observed=f"{s.name}={s.value}", expected="unset") for s, _ in found[:4]],
            suspects=suspects("setting", (s.name for s, _ in found)),
            explains=("busbw-below-expected", "bandwidth-unstable") if costly else (),
            remedy=[
                (
                    "Measure with and without.",
                    command("unset", *dict.fromkeys(as_variable(s.name) for s, _ in found[:6])),
                )
            ],
            references=[NCCL_ENV],
        )


def _lost_without_nvls(found: Sequence[tuple[EnvSetting, str]], expectations: Expectations | None) -> str:
    """What an all-reduce inside one node lacks because NVLink SHARP is off, in words; "" where it lacks nothing."""
    if expectations is None or not any(s.name.endswith(_NVLS) for s, _ in found):
        return ""
    for judged in expectations.sweeps:
        sweep = judged.sweep
        best = max((point.busbw_gbs or 0.0 for point in sweep.points), default=0.0)
        if sweep.collective != "all_reduce" or sweep.nnodes != 1 or sweep.nranks is None or judged.assumed:
            continue
        with_it = predict(Case("all_reduce", sweep.nranks, 1, judged.hardware, nvls=True))
        if isinstance(with_it, Prediction) and best < with_it.warn:
            return (
                f"; {what_ran(sweep)} reaches {tenths(best)} GB/s, and with it {with_it.expected.value:.0f} are usual"
            )
    return ""


def _is_costly(setting: EnvSetting) -> bool:
    """Does it cost bandwidth by what it is? LL sends as many flags as data; one or two channels, or buffers far below
    NCCL's 4 MiB, do not keep a fast network busy."""
    name, value = setting.name.replace("MCCL_", "NCCL_", 1), setting.value.strip()
    if name == "NCCL_PROTO":
        return value.upper() == "LL"
    number = int(value) if value.isdecimal() and len(value) < _MOST_DIGITS else None
    return number is not None and number <= _COSTLY.get(name, 0)


def _distinct(settings: Sequence[EnvSetting]) -> list[EnvSetting]:
    """The first setting of each name and value."""
    return list({(s.name, s.value): s for s in reversed(settings)}.values())[::-1]


def _harm(setting: EnvSetting, sweeps: Sweeps | None) -> str:
    """What this setting does that may cost something; "" where it is harmless."""
    name = setting.name.replace("MCCL_", "NCCL_", 1) if setting.name.startswith("MCCL_") else setting.name
    value = setting.value.strip().lower()
    if name == "NCCL_DEBUG" and value == "trace" and sweeps is not None:
        return "writes a line for every step while it is measured"
    if name == "NCCL_NVLS_ENABLE":
        return "turns NVLink SHARP off" if value == "0" else ""
    if name in _ON:
        return _ON[name] if value == "1" else ""
    if (name == "NCCL_PROTO" and "," in value) or (name == "NCCL_ALGO" and value == "ring"):
        return ""  # several protocols leave NCCL the choice; the ring is what tests of the network ask for
    return _FORCED.get(name, "")
