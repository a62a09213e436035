"""The words for what a rule needed and nobody collected: what is missing, and how to get it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from slowlink.catalog.attributes import attribute
from slowlink.model.facts import Absence

_FACTS: Mapping[str, str] = {
    "sweeps": "no table of a collective benchmark (nccl-tests, rccl-tests, mccl) in the input",
    "hardware": "the input names neither GPU nor system; say it with --system, --gpu or --nics",
    "communicators": "no communicator lines; run with NCCL_DEBUG=INFO",
    "transports": "no channel lines; run with NCCL_DEBUG=INFO (and one collective: connections are made at the first)",
    "gdr": "no GPU Direct RDMA lines; run with NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,ENV,NET,GRAPH",
    "network": "no network lines of NCCL; run with NCCL_DEBUG=INFO",
    "topology": "no topology lines; run with NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,GRAPH,TUNING",
    "proxy_cores": "no lines about the cores of proxy threads; run with NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT",
    "calls": "no calls of collectives; run with NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=COLL",
    "environment": "no settings; run with NCCL_DEBUG=INFO or keep the command line in the log",
    "versions": "no version lines; run with NCCL_DEBUG=VERSION or INFO",
    "warnings": "no lines of NCCL's log; run with NCCL_DEBUG=WARN or INFO",
    "events": "no error or event of a launcher, scheduler, framework or kernel",
    "commands": "no command line in the input",
    "perftests": "no output of ib_write_bw, ib_read_lat or another perftest program",
    "matrices": "no output of nvbandwidth",
    "mpi_tables": "no table of OSU's or Intel's benchmarks of MPI",
    "observations": "no line about the state of a node",
    "paces": "no steps of a training job with their times",
    "state": "no state of a node; slowlink snapshot asks for it, or give what nvidia-smi -q, ibstat or lspci print",
    "differences": "no state of two or more nodes to compare",
    "ras": "no answer of NCCL's RAS; run ncclras on a node of the job while it hangs",
    "ras_questions": "no slowlink attach",
    "flights": "no flight recorder dump; set TORCH_NCCL_DUMP_ON_TIMEOUT=1 and TORCH_FR_BUFFER_SIZE=2000",
    "injected": "no note of injected faults",
    "timed": "no calls of a running job; a profiler of NCCL, RCCL or PyTorch times them (docs/inside-the-job.md)",
    "ladder": "no ladder of measurements; slowlink check climbs it",
    "watched": "no node was watched during the measurement; slowlink run --watch does it",
    "policy": "no policy of the site: --policy names one; slowlink policy from NODE writes it",
    "survey": "not a survey of node pairs (three or more runs over different pairs)",
    "expectations": "no sweep or link could be compared with a bound: hardware unknown",
}


def reason(absence: Absence, unjudged: Sequence[tuple[str, str]] = ()) -> str:
    """Why a rule was skipped. ``unjudged``: (sweep, what is missing) of sweeps that have no bound."""
    if absence.attributes:
        wanted = attribute(absence.attributes[0])
        return f"no reading of {wanted.title}; slowlink snapshot asks every node ({wanted.asked})"
    if absence.fact == "expectations" and unjudged:
        return cannot_be_judged(unjudged)
    return _FACTS[absence.fact]


def cannot_be_judged(unjudged: Sequence[tuple[str, str]]) -> str:
    """Why no sweep was compared with a bound; of several sweeps the reason of the first."""
    _, why = unjudged[0]
    return f"what was measured cannot be judged: {why.replace('no expectation: ', 'the input does not say ')}"
