"""Programs that test the GPUs of one node: gpu-burn, cuda_memtest, CUDA's samples, GDRCopy, rvs::

    11.3%  proc'd: 1510 (17610 Gflop/s) - 906 (10221 Gflop/s)   errors: 0 - 4182  (WARNING!)   temps: 61 C - 88 C
    Tested 2 GPUs:
            GPU 0: OK
            GPU 1: FAULTY

    [02/03/2031 10:11:24][cn31][2]:ERROR: 3 errors found in block 77

    > Peer access from NVIDIA L40S (GPU0) -> NVIDIA L40S (GPU1) : Yes
    Verification error @ element 0: val = nan, ref = 0.000000

    gdr_open error: Is gdrdrv driver installed and loaded?
    Total: 40, Passed: 2, Failed: 38, Waived: 0

    [RESULT] [  5135.310017] [gst-8K] [GPU:: 51499] GFLOPS 871002 Target GFLOPS: 1215000 met: FALSE
    [RESULT] [  5235.310017] [iet-750W] [GPU:: 51499] pass: TRUE

Source: gpu_burn-drv.cpp of gpu-burn, GDRCopy 2.0 to 2.6 (``tests``), simpleP2P and deviceQuery of CUDA's samples, the
workers of ROCm's validation suite 1.0 to 1.3. cuda_memtest 1.2.3 puts time, host and GPU in front of its lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar

from msgspec.structs import replace

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading, Value
from slowlink.parsers.forms.gates import Gate, as_whole
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, reading
from slowlink.patterns import regex

_PROGRESS = regex(
    r"\r?\s{0,8}\d{1,3}\.\d%\s{1,8}proc'd: (?P<done>[^:]{1,4000}?)"
    r"\s{1,8}errors: (?P<errors>[^:]{1,2000}?)\s{1,8}temps: .{1,2000}"
)
_DONE = regex(r"\d{1,12} \((?P<rate>\d{1,9}) Gflop/s\)")
_ERRORS = regex(r"\s{1,4}-\s{1,4}|\s{0,4}\(WARNING!\)\s{0,4}-?\s{0,4}|\s{0,4}\(DIED!\)\s{0,4}-?\s{0,4}")
_TESTED = regex(r"\s{0,4}Tested \d{1,4} GPUs:\s{0,4}")
_VERDICT = regex(r"\s{1,16}GPU (?P<gpu>\d{1,4}): (?P<word>OK|FAULTY)\s{0,4}")
_MEMTEST = regex(r"\[[\d/]{8,10} [\d:]{8}\]\[(?P<host>[\w.-]{1,80})\]\[(?P<gpu>\d{1,4})\]:(?P<text>\S.{0,300})")
_FOUND = regex(r"ERROR: (?P<count>\d{1,12}) errors found(?P<rest>.{0,80})")
_PEER = regex(
    r"(?:> )?Peer access from .{1,80} \(GPU(?P<one>\d{1,4})\) -> .{1,80} \(GPU(?P<other>\d{1,4})\)"
    r" : (?P<can>Yes|No)\s{0,4}"
)
_WRONG = regex(r"Verification error @ element \d{1,12}: val = \S{1,30}, ref = \S{1,30}\s{0,4}")
_SANITY = regex(r"Total: (?P<all>\d{1,6}), Passed: \d{1,6}, Failed: (?P<failed>\d{1,6}), Waived: \d{1,6}\s{0,4}")
_NO_GDRDRV = regex(r"gdr_open error: .{1,100}")
_RVS = regex(
    r"\[(?:RESULT|INFO  ?|ERROR ?)\] \[\s{0,12}\d{1,9}\.\d{1,9}\] "
    r"(?:\[(?P<action>[^\]]{1,80})\]|(?:Action|Module) name ?:.{1,80})"
    r"\s{0,4}(?P<text>.{0,300})"
)
_RVS_GPU = regex(
    r"\[GPU:: {0,6}(?P<gpu>\d{1,6})\] (?:GFLOPS (?P<had>\d{1,12}) Target GFLOPS: (?P<wanted>\d{1,12})"
    r"(?:\.\d{1,6})? met|pass): (?P<word>TRUE|FALSE)\s{0,4}"
)
_RVS_MEMORY = regex(r"mem Number of errors :(?P<count>\d{1,12})\s{0,4}")
_FORMS = (_PROGRESS, _TESTED, _VERDICT, _MEMTEST, _PEER, _WRONG, _SANITY, _NO_GDRDRV, _RVS)
_MANY_GPUS = 1_024


class GpuTests:
    """Results of tests, the throughput of each GPU under gpu-burn, and who reaches whose memory."""

    kind: ClassVar[str] = "gpu-tests"
    literals: ClassVar[Literals] = Literals(
        (
            *("proc'd: ", "Tested ", ": OK", ": FAULTY", "]:", "Peer access from ", "Verification error @ "),
            *("Total: ", "gdr_open error: ", "[RESULT] [", "[INFO  ] [", "[ERROR ] ["),
        )
    )

    def __init__(self) -> None:
        self._found: dict[tuple[str, Part, str | None], Reading] = {}
        """By attribute, part and node: the last word counts, but for a failure."""
        self._burned = 0

    @staticmethod
    def gate() -> Gate:
        return ((as_whole(*_FORMS),),)

    @staticmethod
    def wants(text: str) -> bool:
        return GpuTests.literals.in_(text) and any(form.fullmatch(text) for form in _FORMS)

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        for form, take in _READERS:
            found = form.fullmatch(line.text)
            if found is not None:
                return take(self, found, line)
        return Use.NOT_MINE

    def finish(self) -> Iterable[Reading]:
        return list(self._found.values())

    def _progress(self, found: re.Match[str], line: Line) -> Use:
        for gpu, rate in enumerate(_DONE.findall(found["done"])[:_MANY_GPUS]):
            self._add("gpu-tflops", Part("gpu", str(gpu)), int(rate) / 1000, line)
        for gpu, count in enumerate(filter(None, _ERRORS.split(found["errors"])[:_MANY_GPUS])):
            if count.strip().isdecimal() and int(count):
                self._fail(f"gpu-burn/computations on GPU {gpu}", f"{count.strip()} errors", line)
        return Use.USED

    def _tested(self, _: re.Match[str], line: Line) -> Use:
        self._burned = line.no
        return Use.IGNORED

    def _verdict(self, found: re.Match[str], line: Line) -> Use:
        if not self._burned or line.no > self._burned + _MANY_GPUS:
            return Use.NOT_MINE
        name = f"gpu-burn/computations on GPU {int(found['gpu'])}"
        self._test(name, "pass" if found["word"] == "OK" else "fail", line)
        return Use.USED

    def _memtest(self, found: re.Match[str], line: Line) -> Use:
        errors = _FOUND.fullmatch(found["text"])
        if errors is None:
            return Use.IGNORED
        words = f"{errors['count']} errors found{errors['rest']}"
        self._fail(f"memtest/memory of GPU {int(found['gpu'])}", words, replace(line, host=found["host"]))
        return Use.USED

    def _peer(self, found: re.Match[str], line: Line) -> Use:
        one, other = sorted((int(found["one"]), int(found["other"])))
        self._add("gpu-pair-access", Part("gpu-pair", f"{one}-{other}"), found["can"] == "Yes", line)
        return Use.USED

    def _wrong(self, found: re.Match[str], line: Line) -> Use:
        self._fail("samples/simpleP2P", found[0].strip(), line)
        return Use.USED

    def _sanity(self, found: re.Match[str], line: Line) -> Use:
        failed = int(found["failed"])
        if failed:
            self._fail("gdrcopy/sanity", f"{failed} of {found['all']} tests fail", line)
        else:
            self._test("gdrcopy/sanity", "pass", line)
        return Use.USED

    def _no_gdrdrv(self, found: re.Match[str], line: Line) -> Use:
        self._fail("gdrcopy/sanity", found[0].strip(), line)
        return Use.USED

    def _rvs(self, found: re.Match[str], line: Line) -> Use:
        text = (found["text"] or "").strip()
        result, memory = _RVS_GPU.fullmatch(text), _RVS_MEMORY.fullmatch(text)
        if memory is not None and int(memory["count"]):
            self._fail(f"rvs/memory ({found['action']})", f"{memory['count']} errors", line)
            return Use.USED
        if result is None:
            return Use.NOT_MINE if "bandwidth" in text or "peers:" in text else Use.IGNORED
        name = f"rvs/{found['action']} on GPU {result['gpu']}"
        if result["word"] == "TRUE":
            self._test(name, "pass", line)
        else:
            had = f"{result['had']} of {result['wanted']} GFLOPS, " if result["had"] else ""
            self._fail(name, f"{had}target not met", line)
        return Use.USED

    def _fail(self, name: str, words: str, line: Line) -> None:
        part = Part("test", name)
        if ("health-test-detail", part, line.host) not in self._found:
            self._test(name, "fail", line)
            self._add("health-test-detail", part, words, line)

    def _test(self, name: str, result: str, line: Line) -> None:
        old = self._found.get(("health-test", Part("test", name), line.host))
        if old is None or old.value != "fail":
            self._add("health-test", Part("test", name), result, line)

    def _add(self, attribute: str, part: Part, value: Value, line: Line) -> None:
        if MAX_READINGS.has_room(len(self._found)):
            self._found[attribute, part, line.host] = reading(attribute, part, value, line)


_READERS = tuple(
    zip(
        _FORMS,
        (
            GpuTests._progress,
            GpuTests._tested,
            GpuTests._verdict,
            GpuTests._memtest,
            GpuTests._peer,
            GpuTests._wrong,
            GpuTests._sanity,
            GpuTests._no_gdrdrv,
            GpuTests._rvs,
        ),
        strict=True,
    )
)

PARSER = GpuTests
