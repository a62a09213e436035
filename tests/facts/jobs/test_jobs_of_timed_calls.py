"""Files of NCCL's Inspector, one for each process: which are of one job."""

from __future__ import annotations

from slowlink.facts.jobs import split
from slowlink.inputs import Input
from slowlink.parsers.reading.read import read
from slowlink.simulate.training.columns import columns_of
from slowlink.simulate.training.inspector_output import files_of
from slowlink.simulate.training.job import Job, Noise, Shape, Sick


def files(seed: int = 1) -> list[tuple[str, str]]:
    return list(files_of(columns_of(Job(Shape(2, 2, 2), Noise(), Sick(), seed), 3)))


def hosts_of_jobs(given: list[tuple[str, str]]) -> list[tuple[str, ...]]:
    records = read([Input(name, None, [text.encode()]) for name, text in given], workers=1)
    return [job.hosts for job in split(records)]


def test_files_whose_processes_share_communicators_are_one_job() -> None:
    assert len(hosts_of_jobs(files())) == 1


def test_files_of_other_hosts_and_communicators_are_another_job() -> None:
    other = [(f"b/{name}", text.replace('"id":"0x', '"id":"0xf').replace("node0", "other0")) for name, text in files(2)]
    one = [(f"a/{name}", text) for name, text in files()]
    assert sorted(hosts_of_jobs([*one, *other])) == [
        ("node01", "node02", "node03", "node04"),
        ("other01", "other02", "other03", "other04"),
    ]


def another(start: str = "") -> list[tuple[str, str]]:
    """A job on other hosts, whose files are called alike."""
    of = [(name, text.replace('"id":"0x', '"id":"0xf')) for name, text in files(2)]
    return [(start + name.replace("node0", "node1"), text.replace("node0", "node1")) for name, text in of]


def test_jobs_that_call_nobody_else_are_two_where_their_files_lie_side_by_side() -> None:
    assert sorted(hosts_of_jobs([*files(), *another()])) == [
        ("node01", "node02", "node03", "node04"),
        ("node11", "node12", "node13", "node14"),
    ]


def test_where_ranks_are_missing_the_files_side_by_side_may_be_one_job() -> None:
    assert len(hosts_of_jobs([*files()[1:], *another()[1:]])) == 1


def test_the_log_of_a_communicator_belongs_to_its_job() -> None:
    lines = "".join(
        f"node0{node}:4{node}00:4{node}00 [0] NCCL INFO ncclCommInitRankConfig comm 0x5581 rank {rank} nranks 2 cudaDev 0 "
        "nvmlDev 0 busId 1b000 commId 0xb000000 - Init START\n"
        for rank, node in enumerate((1, 2))
    )
    assert len(hosts_of_jobs([*files(), ("elsewhere/nccl.log", lines)])) == 1
