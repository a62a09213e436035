from __future__ import annotations

from inline_snapshot import snapshot
from job_findings import check, findings, remedies, skipped
from msgspec.structs import replace

from slowlink.simulate.job import SimulatedJob, job_log
from slowlink.simulate.nccl_log_output import LoggedCluster
from slowlink.simulate.node_state.description import SimulatedNode
from slowlink.simulate.node_state.nvidia_smi_output import topology

CLUSTER = LoggedCluster(hosts=("node06", "node07"), gpus=4, hcas=("mlx5_0", "mlx5_1", "mlx5_2", "mlx5_3"))
LOG = job_log(SimulatedJob(CLUSTER))
FEWER = "\n".join(
    line.replace(" [3]mlx5_3:1/IB", "") if line.startswith("node07") else line for line in LOG.splitlines()
)


def test_one_node_has_fewer_than_the_others() -> None:
    assert findings("hca-list-incomplete", FEWER) == snapshot(
        [
            {
                "cause": "hca-list-incomplete",
                "message": "node07 uses 3 HCAs where other nodes use 4",
                "how": "error, likely",
                "suspects": ["node node07"],
                "evidence": [
                    (
                        44,
                        "mlx5_0, mlx5_1, mlx5_2 / 4 HCAs",
                    )
                ],
                "explains": ["busbw-below-expected", "gpu-nic-affinity-wrong"],
            }
        ]
    )


def test_all_nodes_have_fewer_than_was_said() -> None:
    text = job_log(SimulatedJob(replace(CLUSTER, env={"NCCL_IB_HCA": "mlx5_0,mlx5_1"}, hcas=("mlx5_0", "mlx5_1"))))
    assert findings("hca-list-incomplete", text, nics="4x200") == snapshot(
        [
            {
                "cause": "hca-list-incomplete",
                "message": "node06 and others use 2 of 4 HCAs (NCCL_IB_HCA=mlx5_0,mlx5_1)",
                "how": "error, likely",
                "suspects": ["node node06", "node node07"],
                "evidence": [
                    (40, "mlx5_0, mlx5_1 / 4 HCAs"),
                    (52, "mlx5_0, mlx5_1 / 4 HCAs"),
                ],
                "explains": ["busbw-below-expected", "gpu-nic-affinity-wrong"],
            }
        ]
    )


def test_all_that_was_said() -> None:
    assert findings("hca-list-incomplete", LOG, nics="4x200") == []


def test_a_storage_hca_on_one_node_does_not_accuse_the_others() -> None:
    assert findings("hca-list-incomplete", FEWER, nics="3x200") == []


def test_a_list_that_was_cut_says_nothing() -> None:
    cut = FEWER.replace("[2]mlx5_2:1/IB [RO]", "[2]mlx5_2:1/IB ...[RO]")
    assert cut != FEWER
    assert findings("hca-list-incomplete", cut) == []


def test_one_node_alone() -> None:
    alone = job_log(SimulatedJob(replace(CLUSTER, hosts=("node06",)), plateau_gbs=230.0))
    assert findings("hca-list-incomplete", alone, nics="8x200") == []


def test_without_nccl_lines() -> None:
    assert skipped("hca-list-incomplete", job_log(SimulatedJob(logged=False))) == snapshot(
        "no network lines of NCCL; run with NCCL_DEBUG=INFO"
    )


def test_it_says_what_to_do() -> None:
    assert remedies("hca-list-incomplete", FEWER) == snapshot(
        [[("Compare the list with the devices of the node.", "ibv_devinfo -l; ibdev2netdev")]]
    )


ONE = job_log(SimulatedJob(replace(CLUSTER, env={"NCCL_IB_HCA": "mlx5_0"}, hcas=("mlx5_0",))))


def test_a_node_has_more_than_the_job_uses() -> None:
    listed = "$ ibv_devinfo -l\n5 HCAs found:\n\tmlx5_0\n\tmlx5_1\n\tmlx5_2\n\tmlx5_3\n\tmlx5_bond_0\n\n"
    assert [found["message"] for found in findings("hca-list-incomplete", listed + ONE)] == [  # type: ignore[index]
        "node06 and others use 1 of the 4 HCAs that tools saw on a node (NCCL_IB_HCA=mlx5_0)"
    ]


def test_one_more_may_be_for_storage() -> None:
    assert findings("hca-list-incomplete", "$ ibv_devinfo -l\n2 HCAs found:\n\tmlx5_0\n\tmlx5_1\n\n" + ONE) == []


def _ports(*rates: int) -> str:
    port = "CA 'mlx5_{}'\n\tPort 1:\n\t\tState: Active\n\t\tPhysical state: LinkUp\n\t\tRate: {}\n"
    return "".join(port.format(number, rate) for number, rate in enumerate(rates)) + "\n"


def test_half_of_those_that_have_one_rate() -> None:
    few = replace(CLUSTER, env={"NCCL_IB_HCA": "=mlx5_0,mlx5_1"}, hcas=("mlx5_0", "mlx5_1"))
    half = _ports(400, 400, 400, 400) + job_log(SimulatedJob(few))
    assert [each["message"] for each in findings("hca-list-incomplete", half)] == [  # type: ignore[index]
        "node06 and others use 2 of the 4 HCAs that tools saw on a node (NCCL_IB_HCA==mlx5_0,mlx5_1)"
    ]
    assert findings("hca-list-incomplete", _ports(400, 400, 100, 100) + job_log(SimulatedJob(few))) == []
    assert findings("hca-list-incomplete", _ports(400, 400, 400) + job_log(SimulatedJob(few))) == []


def test_hcas_that_the_topology_matrix_shows_near_gpus_are_left_out() -> None:
    few = replace(CLUSTER, env={"NCCL_IB_HCA": "=mlx5_0"}, hcas=("mlx5_0",))
    matrix = topology(SimulatedNode("node06", number=0, gpus=4))
    found = findings("hca-list-incomplete", matrix + job_log(SimulatedJob(few)))
    assert [each["message"] for each in found] == [  # type: ignore[index]
        "node06 and others use 1 of the 4 HCAs that tools saw on a node (NCCL_IB_HCA==mlx5_0)"
    ]
    assert findings("hca-list-incomplete", matrix + LOG) == []


def test_places_in_a_matrix_without_its_legend_are_no_further_hcas() -> None:
    using = "gpu01:1:2 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [RO]; OOB eth0:10.0.0.1<0>\n"
    other = using.replace("gpu01", "gpu02")
    ports = "".join(f"mlx5_{number}/1 ACTIVE LINK_UP\n" for number in range(8))
    matrix = "\tGPU0\tNIC0\tNIC1\nGPU0\t X \tPXB\tNODE\nNIC0\tPXB\t X \tNODE\nNIC1\tNODE\tNODE\t X \n"
    text = using + other + "$ rdma link\n" + ports + "$ nvidia-smi topo -m\n" + matrix
    assert [found.message for found in check("hca-list-incomplete", text).findings] == snapshot(
        ["gpu01 and others use 1 of the 8 HCAs that tools saw on a node"]
    )
