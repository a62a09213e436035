"""Proxy threads on the wrong socket."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

from slowlink import analyze
from slowlink.model.report import Suspect

SECOND = "32-63"


def matrix(near: tuple[str, str] = ("0-31", SECOND)) -> str:
    rows = ["\t" + "\t".join(f"GPU{n}" for n in range(4)) + "\tCPU Affinity\tNUMA Affinity"]
    for gpu in range(4):
        links = (" X " if other == gpu else "NV18" for other in range(4))
        rows.append("\t".join([f"GPU{gpu}", *links, near[gpu // 2], str(gpu // 2)]))
    return "$ nvidia-smi topo -m\n" + "\n".join(rows) + "\n"


def threads(cores: tuple[int, ...], host: str = "gx4", kind: str = "Progress", device: int | None = None) -> str:
    return "".join(
        f"{host}:{700 + rank}:{900 + rank} [{rank}] NCCL INFO [Proxy {kind}] Device "
        f"{rank if device is None else device} CPU core {core}\n"
        for rank, core in enumerate(cores)
    )


def inits(host: str = "gx4", numbers: tuple[int, ...] = (0, 1, 2, 3)) -> str:
    return "".join(
        f"{host}:{700 + rank}:{800 + rank} [0] NCCL INFO ncclCommInitRank comm 0x55d0c5e0b2a{rank} rank {rank} "
        f"nranks 4 cudaDev 0 nvmlDev {number} busId b{rank}000 commId 0xfa3841 - Init START\n"
        for rank, number in enumerate(numbers)
    )


def test_ranks_bound_to_the_first_socket() -> None:
    log = threads((0, 1, 2, 3)) + matrix()
    assert said("proxies-far", log) == snapshot(
        [
            (
                "proxy-affinity",
                "warning",
                "certain",
                "gx4: the proxy threads of 2 ranks of 4 run far from their GPU (GPU 2 and GPU 3): Progress of GPU 2 on core 2, near it are 32-63",
            )
        ]
    )
    assert analyze(log.encode()).verdict == "degraded"
    assert remedies_of("proxies-far", log) == snapshot(
        [
            [
                ("See which processors a rank may use.", "grep Cpus_allowed_list /proc/self/status"),
                ("Bind each rank to the socket of its GPU, or to all processors.", "nvidia-smi topo -m"),
                ("Or let NCCL use the GPU's processors all the same.", "export NCCL_IGNORE_CPU_AFFINITY=1"),
            ]
        ]
    )


def test_a_service_thread_says_it_as_well() -> None:
    assert said("proxies-far", threads((0, 1, 40, 3), kind="Service UDS") + matrix()) == snapshot(
        [
            (
                "proxy-affinity",
                "warning",
                "certain",
                "gx4: the proxy threads of 1 rank of 4 run far from their GPU (GPU 3): Service UDS of GPU 3 on core 3, near it are 32-63",
            )
        ]
    )


def test_the_communicator_tells_which_gpu_it_is_where_each_process_sees_one() -> None:
    log = inits() + threads((0, 1, 2, 3), device=0) + matrix()
    assert said("proxies-far", log) == snapshot(
        [
            (
                "proxy-affinity",
                "warning",
                "certain",
                "gx4: the proxy threads of 2 ranks of 4 run far from their GPU (GPU 2 and GPU 3): Progress of GPU 2 on core 2, near it are 32-63",
            )
        ]
    )
    swapped = inits(numbers=(2, 3, 0, 1)) + threads((40, 41, 2, 3), device=0) + matrix()
    assert said("proxies-far", swapped) == []


def test_silent_where_nothing_tells_whose_gpu_device_0_is() -> None:
    assert said("proxies-far", threads((0, 1, 2, 3), device=0) + matrix()) == []
    assert said("proxies-far", threads((40,)) + matrix()) == []


def test_silent_near_the_gpu() -> None:
    log = threads((0, 31, 32, 63)) + matrix()
    assert said("proxies-far", log) == []
    assert analyze(log.encode()).verdict == "healthy"


def test_hyperthreads_of_the_near_socket_are_near() -> None:
    assert said("proxies-far", threads((0, 70, 40, 100)) + matrix(("0-31,64-95", "32-63,96-127"))) == []


def test_one_matrix_stands_for_all_nodes_and_each_node_is_named() -> None:
    log = threads((0, 1, 2, 3), host="ra-7") + threads((0, 1, 33, 34), host="ra-8") + matrix()
    assert [f.suspects for f in findings_of("proxies-far", log)] == snapshot(
        [
            (
                Suspect(kind="gpu", name="ra-7 GPU 2"),
                Suspect(kind="gpu", name="ra-7 GPU 3"),
                Suspect(kind="node", name="ra-7"),
            )
        ]
    )


@given(st.lists(st.integers(0, 127), min_size=4, max_size=4))
def test_it_accuses_just_those_outside_their_list(cores: list[int]) -> None:
    found = findings_of("proxies-far", threads(tuple(cores)) + matrix())
    far = [f"gx4 GPU {n}" for n, core in enumerate(cores) if not (0 <= core - 32 * (n // 2) < 32)]
    assert [s.name for f in found for s in f.suspects if s.kind == "gpu"] == far
