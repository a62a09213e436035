"""slowlink asked nodes for NCCL's RAS, and was not told whether a job goes on.

``slowlink attach`` asks the addresses where RAS may listen on each node. One process of a job is enough to tell of all
its ranks. Where none answers, nothing is known of the job, whatever the state of the nodes is. Before 2.28.7 RAS
answers as text, which counts collectives only where ranks differ: a job that stands as a whole looks like one that
goes on.

Why it matters: unknown is not healthy.
How to confirm: is the job of NCCL 2.24 or newer, and not started with ``NCCL_RAS_ENABLE=0``? Its log says where RAS
listens ("RAS client listening socket at"), with ``NCCL_DEBUG=INFO``.
What to do: ask inside the container of the job where it has a network of its own; give the address with ``--address``.
When it is wrong: never as such; where nothing runs there is nothing to ask.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from slowlink.model.hang import Ras, RasAsked, RasJob, RasQuestions
from slowlink.model.report import Finding
from slowlink.nodes import fold
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import NCCL_RAS
from slowlink.rules.evidence.messages import listed

CAUSES = ("job-unasked",)

_WORDS = {
    "cut": "its answer is not whole",
    "silent": "it gave no answer",
    "foreign": "it is no RAS",
    "": "no time was left for its answer",
}


def check(ras_questions: RasQuestions, ras: Ras | None) -> Iterator[Finding]:
    """One finding where no job told of itself, or else one for what listens and did not answer as a whole."""
    asked = ras_questions.all
    if ras is None or not any(each.outcome == "answered" for each in asked):
        heard = [each for each in asked if each.outcome != "absent"]
        yield _finding(asked, f"no job told of itself on {_nodes(asked)}: {_reasons(heard or asked)}")
        return
    unheard = [each for each in asked if each.outcome in ("cut", "silent", "")]
    if unheard:
        yield _finding(unheard, f"a job may be unknown on {_nodes(unheard)}: {_reasons(unheard)}")
    yield from _not_asked(asked, ras)
    if any(_tells_no_progress(job) for job in ras.jobs):
        versions = listed(list(dict.fromkeys(job.newest.nccl or "?" for job in ras.jobs if _tells_no_progress(job))))
        yield _finding(
            [each for each in asked if each.outcome == "answered"],
            f"no rank is lost or behind, and whether the job goes on is unknown: NCCL {versions} told no counts of "
            "collectives that two answers could be compared by",
        )


def _not_asked(asked: Sequence[RasAsked], ras: Ras) -> Iterator[Finding]:
    """Nodes that were only looked at belong to the jobs that answered, if these have as many nodes."""
    unasked = [each for each in asked if each.outcome == "unasked"]
    listening = {each.host for each in asked if each.outcome in ("unasked", "answered")}
    # Text does not tell jobs of one shape apart: they count once.
    jobs = {
        (job.newest.nccl, job.newest.nodes, job.newest.gpus, job.newest.timestamp and job.newest.communicators[:1])
        for job in ras.jobs
    }
    known = sum(nodes or 0 for _, nodes, _, _ in jobs)
    if unasked and known < len(listening):
        yield _finding(
            unasked,
            f"a job may be unknown: RAS listens on {len(listening)} nodes, and the jobs that answered have {known}; "
            f"--ask {len({each.host for each in asked})} asks all",
        )


def _tells_no_progress(job: RasJob) -> bool:
    """Did it say nothing but that all is well? As text it counts only where ranks differ."""
    quiet = not any(group.errors for group in job.newest.groups) and not job.newest.errors
    return job.asked and job.moved is None and quiet


def _reasons(asked: Sequence[RasAsked]) -> str:
    """Each address with why it told nothing."""
    words: dict[str, None] = {}
    for each in asked:
        why = each.detail or _WORDS.get(each.outcome, each.outcome)
        words.setdefault(f"{each.address}: {why}", None)
    *first, last = list(words)[:4]
    return "; ".join([*first, last]) + (f"; and {len(words) - 4} more" if len(words) > 4 else "")


def _nodes(asked: Sequence[RasAsked]) -> str:
    return fold(dict.fromkeys(each.host or "this node" for each in asked))


def _finding(asked: Sequence[RasAsked], message: str) -> Finding:
    return finding(
        "job-unasked",
        message,
        severity="warning",
        confidence="certain",
        suspects=suspects("node", (each.host for each in asked)),
        evidence=lines_evidence([each.ref for each in asked], 4),
        remedy=[
            ("Ask where the log of the job says that RAS listens (NCCL_DEBUG=INFO, NCCL 2.24 or newer).",
             "slowlink attach --address HOST:PORT"),
            ("Or see in two stacks of one rank, a minute apart, whether it goes on.", "py-spy dump --pid PID"),
        ],
        references=[NCCL_RAS],
    )  # fmt: skip
