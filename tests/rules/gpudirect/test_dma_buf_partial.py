"""DMA-BUF on some ranks only."""

from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import diagnoses_of, findings_of, said


def rank(number: int, host: str, dma_buf: bool, gdr: bool) -> str:
    head = f"{host}:{4000 + number}:{5000 + number} [0] NCCL INFO "
    life = f"comm 0x55d0c5e0b2a{number} rank {number} nranks 2 cudaDev 0 nvmlDev 0 busId b3000 commId 0xfa3841"
    other = 1 - number
    return (
        f"{head}ncclCommInitRank {life} - Init START\n"
        + (f"{head}DMA-BUF is available on GPU device 0\n" if dma_buf else "")
        + f"{head}Channel 00/0 : {other}[0] -> {number}[0] [receive] via NET/IB/0{'/GDRDMA' if gdr else ''}\n"
        + f"{head}ncclCommInitRank {life} - Init COMPLETE\n"
    )


def test_a_rank_without_it_that_has_no_gpudirect_rdma_either() -> None:
    log = rank(0, "node07", dma_buf=True, gdr=True) + rank(1, "node08", dma_buf=False, gdr=False)
    assert said("dma-buf-partial", log) == snapshot(
        [("dma-buf-partial", "warning", "possible", "node08: 1 of 2 ranks have no DMA-BUF, and the others do")]
    )


def test_silent_where_gpudirect_rdma_is_on_everywhere() -> None:
    log = rank(0, "node07", dma_buf=True, gdr=True) + rank(1, "node08", dma_buf=False, gdr=True)
    assert findings_of("dma-buf-partial", log) == ()


def test_silent_where_all_ranks_are_alike() -> None:
    for has in (True, False):
        log = rank(0, "node07", dma_buf=has, gdr=False) + rank(1, "node08", dma_buf=has, gdr=False)
        assert findings_of("dma-buf-partial", log) == ()


def excerpt(pid: int, dma_buf: bool, states: str = "Disabled", host: str = "c3") -> str:
    """What ``grep`` leaves of a rank's log: no channel, and no start-up that completed."""
    head = f"{host}:{pid}:{pid + 100} [{pid % 8}] NCCL INFO "
    decisions = (f"NET/IB : GPU Direct RDMA {state} for HCA {n} 'mlx5_{n}'" for n, state in enumerate(states.split()))
    told = ["DMA-BUF is available on GPU device 0"] if dma_buf else list(decisions)
    return "".join(f"{head}{line}\n" for line in told)


def test_ranks_for_which_gpudirect_rdma_is_disabled_beside_others_with_dma_buf() -> None:
    log = excerpt(900, dma_buf=True) + excerpt(901, dma_buf=True) + excerpt(902, dma_buf=False)
    assert said("dma-buf-partial", log) == snapshot(
        [
            (
                "dma-buf-partial",
                "error",
                "likely",
                "c3: 1 of 3 ranks have no DMA-BUF, and the others do, and without it GPUDirect RDMA is disabled there",
            )
        ]
    )
    two = excerpt(900, dma_buf=True) + excerpt(900, dma_buf=False, host="c4", states="Disabled Disabled")
    assert said("dma-buf-partial", two) == snapshot(
        [
            (
                "dma-buf-partial",
                "error",
                "likely",
                "c4: 1 of 2 ranks have no DMA-BUF, and the others do, and without it GPUDirect RDMA is disabled there",
            )
        ]
    )


def test_silent_where_a_peer_memory_module_serves_the_others() -> None:
    assert said("dma-buf-partial", excerpt(900, dma_buf=True) + excerpt(901, dma_buf=False, states="Enabled")) == []
    mixed = excerpt(900, dma_buf=True) + excerpt(901, dma_buf=False, states="Disabled Enabled")
    assert said("dma-buf-partial", mixed) == []


def test_silent_where_the_distance_is_why() -> None:
    far = "c3:901:990 [0] NCCL INFO GPU Direct RDMA Disabled for GPU 81000 / HCA 1 (distance 7 > 4)\n"
    assert said("dma-buf-partial", excerpt(900, dma_buf=True) + far) == []


def test_silent_where_none_has_it() -> None:
    assert findings_of("dma-buf-partial", excerpt(900, dma_buf=False) + excerpt(901, dma_buf=False)) == ()


def sends(number: int, dma_buf: bool, gdr: bool) -> str:
    head = f"node07:{4000 + number}:{5000 + number} [{number}] NCCL INFO "
    return (
        f"{head}DMA-BUF is available on GPU device {number}\n" if dma_buf else ""
    ) + f"{head}Channel 00/0 : {number}[{number}] -> {number + 8}[{number}] [send] via NET/IB/0{'/GDRDMA' * gdr}\n"


def test_where_only_what_sends_is_shown_those_without_it_send_from_the_host() -> None:
    log = sends(0, dma_buf=True, gdr=True) + sends(1, dma_buf=False, gdr=False)
    assert said("dma-buf-partial", log) == snapshot(
        [
            (
                "dma-buf-partial",
                "error",
                "likely",
                "node07: 1 of 2 ranks have no DMA-BUF, and the others do, and without it GPUDirect RDMA is disabled there",
            )
        ]
    )
    assert [each.cause for each in diagnoses_of(log)] == ["dma-buf-partial"]
    all_staged = sends(0, dma_buf=True, gdr=False) + sends(1, dma_buf=False, gdr=False)
    assert findings_of("dma-buf-partial", all_staged) == ()
