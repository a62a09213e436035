"""What accl-profiler tells of the parts of a call: why a rank comes late, and what calls consist of."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from math import nan

from inline_snapshot import snapshot
from msgspec.structs import replace

from slowlink.facts.timed import timed
from slowlink.model.facts import Facts, Sources
from slowlink.model.timed_calls import NO_COMM, PART, TimedCalls
from slowlink.rules.engine import Checked, discover, run
from slowlink.simulate.training.accl_output import as_accl
from slowlink.simulate.training.columns import columns_of
from slowlink.simulate.training.job import Job, Noise, Shape, Sick

SHAPE = Shape(4, 8, 1)
LATE = 9
Parts = Callable[[TimedCalls], dict[str, float]]


def checked(parts: Parts, sick: Sick) -> Checked:
    """``parts``: microseconds of each part, the same in all calls of a rank."""
    columns = [
        replace(calls, parts={name: array(PART, [us] * len(calls)).tobytes() for name, us in parts(calls).items()})
        for calls in as_accl(columns_of(Job(SHAPE, Noise(), sick, 1), 40))
    ]
    assert all(calls.is_sound() for calls in columns)
    rules = [rule for rule in discover() if rule.id == "collectives-held-up"]
    return run(Facts(sources=Sources(()), timed=timed(columns)), None, {}, rules)


def is_late(calls: TimedCalls) -> bool:
    return (calls.host, calls.pid) == ("node03", 4101)


def why(parts: Parts) -> str:
    (found,) = checked(parts, Sick(gpu={LATE: 0.7})).findings
    assert found.suspects[0].name == "rank 9" or "process 4101 on node03" in found.message
    return found.message.rpartition("compared. ")[2]


def test_a_process_that_is_ahead_of_its_gpu_is_not_to_blame() -> None:
    assert why(lambda calls: {"enqueue": 9_000.0 if is_late(calls) else 180.0}) == snapshot(
        "Its GPU is behind: its kernels begin 9.0 ms after they were enqueued, those of the others 180 us, or it waited for another"
    )


def test_a_kernel_that_begins_at_once_was_enqueued_late() -> None:
    assert why(lambda calls: {"enqueue": 6.0 if is_late(calls) else 7_000.0}) == snapshot(
        "Its process gets its work late, or waits for its GPU before it enqueues: its kernels begin 6 us after they were enqueued, or it waited for another"
    )


def test_what_lies_between_tells_neither() -> None:
    usual = "Its GPU is slow, or its process gets its work late, or it waited for another"
    assert why(lambda calls: {"enqueue": 3_000.0}) == usual
    assert why(lambda calls: {"enqueue": nan if is_late(calls) else 9.0}) == usual
    assert why(lambda calls: {}) == usual


def whole(calls: TimedCalls) -> dict[str, float]:
    waits = {"gpu_wait": 2.0, "peer_wait": 40.0, "network": 300.0, "flush": 20.0, "gpu_recv_wait": 5.0}
    return {"enqueue": 6.0, "kernel": 900.0, **waits, **({"peer_wait": 640.0} if is_late(calls) else {})}


def test_what_a_call_consists_of_is_said_and_is_no_fault() -> None:
    found = checked(whole, Sick())
    assert found.findings == ()
    proofs = {proof.undecided: proof for proof in found.proofs}
    assert proofs[True].weight == 0
    assert proofs[True].message == snapshot(
        "what a call consists of, in the middle of the ranks: all_reduce of 64 MiB in communicator 0xa000000 (4 ranks): kernels of 900 us, that wait 6 us on the GPU before, of the proxy 42 us before it sends (for its GPU, or for room at the peer), of the proxy 325 us for data, flushes, and the GPU to take them"
    )
    assert proofs[False].message.startswith("nobody holds the collectives up")


def test_without_a_proxy_only_kernels_are_told_of() -> None:
    found = checked(lambda _calls: {"enqueue": 6.0, "kernel": 900.0}, Sick())
    assert [proof.message for proof in found.proofs if proof.undecided] == snapshot(
        [
            "what a call consists of, in the middle of the ranks: all_reduce of 64 MiB in communicator 0xa000000 (4 ranks): kernels of 900 us, that wait 6 us on the GPU before"
        ]
    )


def test_nothing_is_said_of_what_is_not_told() -> None:
    found = checked(lambda _calls: {"kernel": nan}, Sick())
    assert not [proof for proof in found.proofs if proof.undecided]


def test_that_communicators_are_not_told_is_said() -> None:
    columns = [replace(calls, comm=NO_COMM) for calls in as_accl(columns_of(Job(SHAPE, Noise(), Sick(), 1), 10))]
    rules = [rule for rule in discover() if rule.id == "collectives-held-up"]
    (proof,) = run(Facts(sources=Sources(()), timed=timed(columns)), None, {}, rules).proofs
    assert proof.undecided
    assert proof.message == snapshot(
        "who holds the collectives up is not told: 1 communicator left out (an unnamed communicator: neither the lines "
        "nor the names of their files tell which communicator it is)"
    )
