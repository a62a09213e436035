"""The report, as records with the names and the order of its JSON (``docs/report.schema.json``)."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field

from slowlink.model.ladder import Waterfall

Verdict = Literal["healthy", "degraded", "broken", "inconclusive"]
Severity = Literal["info", "warning", "error", "critical"]
"""How bad a finding is where it holds: ``info`` is worth knowing and costs nothing that was seen; ``warning`` may
cost speed, or a reserve is gone; ``error`` costs speed or time, or a part is faulty; ``critical`` ended the job, kept
it from starting, or made its results wrong."""
Confidence = Literal["certain", "likely", "possible"]
"""How sure a finding is, however bad: ``certain`` where its lines leave no other reading; ``likely`` where they point
to it and a rarer reading remains; ``possible`` where a harmless reading is as usual, so confirm it before you act."""
Layer = Literal["host", "fabric", "gpu-net", "node", "cluster", "application", "config", "launch", "measure"]
OutcomeKind = Literal["passed", "found", "skipped", "broken"]


class Evidence(Struct, frozen=True):
    """One line that proves a finding."""

    source: str
    line: int
    text: str
    observed: str = ""
    expected: str = ""


class Suspect(Struct, frozen=True):
    """Where: ``node``, ``gpu``, ``hca``, ``port``, ``link``, ``rail``, ``rank``, ``process`` or ``setting``."""

    kind: str
    name: str


class Remedy(Struct, frozen=True):
    """What to do, in words, and the command that does it ("" where none does)."""

    text: str
    command: str = ""
    snippet: str = ""
    """What to write into a file, such as YAML into a manifest; "" where nothing is."""


class Claim(Struct, frozen=True):
    """That a cause is at work: where, how bad, how sure, the lines that prove it, and what to do."""

    cause: str
    """Id in the catalogue of causes."""
    title: str
    message: str
    """One sentence, with its numbers."""
    layer: Layer
    severity: Severity
    confidence: Confidence
    suspects: tuple[Suspect, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    explains: tuple[str, ...] = ()
    """Causes (symptoms) that follow from this one; of a diagnosis, those of them that were found."""
    remedy: tuple[Remedy, ...] = ()
    references: tuple[str, ...] = ()
    job: str = ""
    """Label of the job that it is about; "" where the input is one job."""


class Finding(Claim, frozen=True):
    """What one rule found."""

    rule: str = ""
    """Id of the rule; the engine fills it in."""


class Diagnosis(Claim, frozen=True):
    """A root cause, with everything that it explains folded under it."""

    rules: tuple[str, ...] = ()
    """Ids of the rules that found this cause, first the one whose words are shown; () in reports of older versions."""

    @classmethod
    def of(cls, finding: Finding) -> Diagnosis:
        """The diagnosis that one finding is by itself."""
        claimed = {name: getattr(finding, name) for name in Claim.__struct_fields__}
        return cls(**claimed, rules=(finding.rule,) if finding.rule else ())


class Outcome(Struct, frozen=True):
    """What became of one rule. ``reason`` says why it was skipped or how it broke; "" otherwise."""

    rule: str
    outcome: OutcomeKind
    reason: str = ""


class SweepPoint(Struct, frozen=True):
    """One measured point of a sweep."""

    size_bytes: int
    count: int | None
    placement: Literal["out_of_place", "in_place"]
    time_us: float | None
    algbw_gbs: float | None
    busbw_gbs: float | None
    wrong: float | None
    iterations_us: tuple[float, ...] = ()
    line: int = 0
    doubt: str | None = None


class Sweep(Struct, frozen=True):
    """One run of a collective over its sizes, joined with what else is known about it."""

    collective: str | None
    nranks: int | None
    nnodes: int | None
    datatype: str | None
    redop: str | None
    engine: str
    """The program that measured: ``nccl-tests 2.19.6``, ``rccl-tests``, ``mccl-tests`` ..."""
    source: str
    line: int
    points: tuple[SweepPoint, ...]
    average_busbw_gbs: float | None
    peak_busbw_gbs: float | None
    complete: bool
    hosts: tuple[str, ...] = ()
    gpu: str | None = None
    library: str | None = None
    """``NCCL 2.29.7``."""
    basis: str = ""
    """How collective, ranks and nodes are known."""


class Expectation(Struct, frozen=True):
    """What this hardware should give, with the sentence that derives it."""

    quantity: str
    """``busbw`` for what NCCL would choose, ``busbw:ring`` ... for one algorithm, ``link`` for perftest,
    ``half_peak_size``,
    ``latency``."""
    subject: str
    """What it is about: ``all_reduce job.log:12`` or ``mlx5_0``."""
    value: float
    low: float
    high: float
    unit: str
    basis: str


NOT_ALL_READ = "; not everything was read: "
"""In a headline, before the first that was not."""


class InputSummary(Struct, frozen=True):
    """What was read from one input."""

    path: str
    kinds: tuple[str, ...]
    bytes: int
    lines: int
    used: int
    ignored: int
    unread: int
    unread_samples: tuple[str, ...] = ()
    problem: str | None = None
    copy_of: str | None = None
    """The input whose content this one repeats; nothing in it was counted a second time."""
    partial: bool = False
    """Some of it was not read and may be evidence; ``problem`` says why."""


class Edge(Struct, frozen=True):
    """How two GPUs or two nodes talk, for the transport picture."""

    src: str
    dst: str
    transport: str
    gdr: bool | None
    channels: int


class TransportPicture(Struct, frozen=True):
    """Nodes with their ranks and network devices, and the edges between them, as the log tells."""

    nodes: tuple[tuple[str, tuple[int, ...]], ...] = ()
    """(host, ranks on it)."""
    devices: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """(host, ``mlx5_0:1/IB`` ... that NCCL uses there)."""
    edges: tuple[Edge, ...] = ()


class SaidBy(Struct, frozen=True):
    """Nodes that say the same of an attribute."""

    value: str
    nodes: str
    """Folded: ``node[01-14]``."""
    count: int


class Difference(Struct, frozen=True):
    """An attribute in which nodes differ: ``14 of 16 say X; node07 and node12 say Y``."""

    attribute: str
    title: str
    parts: str
    """Folded: ``gpu [0-7]``; "" for the node itself."""
    unit: str
    matters: int
    """3 breaks or halves collectives, 2 slows them, 1 is worth knowing."""
    said: Annotated[tuple[SaidBy, ...], Meta(min_length=1)]
    """The most nodes first."""


JobKind = Literal["job", "state", "other"]
"""``job``; ``state`` of nodes that no job names; ``other`` inputs that belong to no job."""


class Job(Struct, frozen=True):
    """One job of a heap of logs, or what belongs to none of them: its own verdict, by its own evidence."""

    label: str
    """``job 4711 on node[06-07], a/job.log``: its number in the scheduler, its hosts and files, as far as known."""
    kind: JobKind
    hosts: tuple[str, ...]
    sources: tuple[str, ...]
    """Paths of inputs, as in ``inputs``. State of a node belongs to every job that ran there."""
    verdict: Verdict
    headline: str
    causes: tuple[str, ...]
    """Of its diagnoses, in their order; ``Report.diagnoses`` holds these under the label of the job."""
    facts: dict[str, object] = field(default_factory=dict)
    """As ``Report.facts``, of this job alone."""


class Report(Struct, frozen=True):
    """The whole answer."""

    schema: str
    slowlink: str
    verdict: Verdict
    headline: str
    diagnoses: tuple[Diagnosis, ...] = ()
    findings: tuple[Finding, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    sweeps: tuple[Sweep, ...] = ()
    expectations: tuple[Expectation, ...] = ()
    inputs: tuple[InputSummary, ...] = ()
    facts: dict[str, object] = field(default_factory=dict)
    """Everything else that was extracted and that scores, tables or scripts may want, as plain values by name
    (``nccl``, ``nranks``, ``hosts``, ``transport`` ...)."""
    transports: TransportPicture | None = None
    differences: tuple[Difference, ...] = ()
    """How the nodes differ from one another, what matters most first."""
    jobs: tuple[Job, ...] = ()
    """The jobs of a heap; () where all inputs are one job, or tell of none."""
    ladder: Waterfall | None = None
    """Where bandwidth is lost between layers, of a bundle that ``slowlink check`` made."""

    @classmethod
    def from_json(cls, saved: Mapping[str, object] | str | bytes) -> Report:
        """A saved report back: JSON text, or what was decoded of it. Raises SlowlinkError as ``report_from_json``."""
        found = _shown_by("json").report_from_json(saved)
        assert isinstance(found, cls)
        return found

    def __repr__(self) -> str:
        """The answer in one line: all of it is ``slowlink.render(report, "full")``."""
        said = self.headline.removeprefix(f"{self.verdict}: ")
        causes = (
            f"; causes: {', '.join(dict.fromkeys(each.cause for each in self.diagnoses))}" if self.diagnoses else ""
        )
        return f"<Report {self.verdict}: {said[:_MOST_SHOWN]}{causes}>"

    def _repr_html_(self) -> str:
        """What notebooks show: the page in a frame of its own, so that neither changes how the other looks."""
        from html import escape

        page = escape(str(_shown_by("html").render_text(self)))
        return (
            f'<iframe srcdoc="{page}" sandbox="allow-scripts allow-popups" title="slowlink" '
            'style="width:100%;height:46em;border:1px solid #ccc"></iframe>'
        )


_MOST_SHOWN = 400


def _shown_by(form: str) -> Any:
    """The module of a format. It lies above the model, which imports nothing of it: whoever asks a report to show
    itself has it loaded then."""
    return import_module(f"slowlink.report.{form}")
