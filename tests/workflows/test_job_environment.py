"""Only settings of communication libraries are taken from a job, and nothing that belongs to one of its ranks."""

from __future__ import annotations

import os
import shlex
import time
from pathlib import Path

import pytest

from slowlink.errors import SlowlinkError
from slowlink.workflows.job_environment import Borrowed, borrowed, carried, parse_assignments

JOB = {
    "NCCL_IB_HCA": "mlx5_0,mlx5_1",
    "UCX_TLS": "rc",
    "OMPI_MCA_btl": "^openib",
    "OMPI_MCA_ess_base_vpid": "3",
    "CUDA_VISIBLE_DEVICES": "3",
    "NCCL_DEBUG_FILE": "/home/me/log.%h",
    "AWS_SECRET_ACCESS_KEY": "geheim",
    "PATH": "/bin",
    "MY_NCCL_IB_HCA": "x",
}
TAKEN = {"NCCL_IB_HCA": "mlx5_0,mlx5_1", "OMPI_MCA_btl": "^openib", "UCX_TLS": "rc"}


def test_what_is_carried() -> None:
    assert carried(JOB) == TAKEN


def test_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "job.env"
    file.write_text("# settings\n" + "".join(f"export {name}='{value}'\n" for name, value in JOB.items()) + "junk\n")
    assert borrowed(str(file)) == Borrowed(TAKEN, ())


@pytest.mark.parametrize("value", ["it's", "a b", "x;id", '"both"', "plain", "$HOME", "back\\slash"])
def test_what_a_shell_would_take_is_taken(tmp_path: Path, value: str) -> None:
    (tmp_path / "job.env").write_text(f"NCCL_A={shlex.quote(value)}\n")
    assert borrowed(str(tmp_path / "job.env")).settings == {"NCCL_A": value}


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc (Linux)")
def test_from_a_process() -> None:
    pid = os.posix_spawn("/bin/sleep", ["sleep", "1000"], JOB)
    try:
        end = time.monotonic() + 60
        # For a moment after its start the kernel shows no environment yet.
        while not Path(f"/proc/{pid}/environ").read_bytes() and time.monotonic() < end:
            time.sleep(0.01)
        assert borrowed(str(pid)) == Borrowed(TAKEN, ())
    finally:
        os.kill(pid, 9)
        os.waitpid(pid, 0)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("no-such-file", "no file that can be reached, and no number"),
        ("999999999", "there is no process 999999999 here"),
    ],
)
def test_sources_that_are_not_there(source: str, words: str) -> None:
    with pytest.raises(SlowlinkError, match=words):
        borrowed(source)


def test_file_without_settings(tmp_path: Path) -> None:
    file = tmp_path / "job.env"
    file.write_text("HOME=/root\n")
    with pytest.raises(SlowlinkError, match="has no setting"):
        borrowed(str(file))


@pytest.mark.parametrize(
    "setting",
    [
        "PRTE_MCA_odls_base_exec_agent=/tmp/x.sh",
        "PRTE_MCA_prte_launch_agent=x",
        "OMPI_MCA_plm_rsh_agent=x.sh",
        "OMPI_MCA_mca_base_component_path=/tmp/x",
        "OMPI_MCA_mca_base_param_files=/tmp/x.conf",
        "OMPI_MCA_mca_base_env_list=LD_PRELOAD=/tmp/x.so",
        "NCCL_NET_PLUGIN=/tmp/x.so",
        "NCCL_TUNER_PLUGIN=../x.so",
        "NCCL_PROFILER_PLUGIN=/tmp/x.so",
        "NCCL_CONF_FILE=/tmp/nccl.conf",
        "UCX_MODULE_DIR=/tmp/x",
        "UCX_GDB_COMMAND=x",
        "UCX_CONFIG_DIR=/tmp/x",
        "FI_PROVIDER_PATH=/tmp/x",
        "HSA_TOOLS_LIB=/tmp/x.so",
        "CUDA_INJECTION64_PATH=/tmp/x.so",
        "OMPI_MCA_plm_rsh_args=-oProxyCommand=x",
        "OMPI_MCA_plm_slurm_args=--task-prolog=/tmp/x",
        "OMPI_MCA_odls_base_x=1",
        "NCCL_TOPO_DUMP_FILE=/etc/cron.d/x",
        "NCCL_GRAPH_DUMP_FILE=.profile",
        "UCX_LOG_FILE=/root/x",
        "UCX_STATS_DEST=file:/root/x",
        "UCX_ERROR_MAIL_TO=x",
        "CUDA_COREDUMP_FILE=/root/x",
        "OMPI_MCA_mpi_show_mca_params_file=/root/x",
        "OMPI_MCA_opal_stacktrace_output=file:/root/x",
        "RDMAV_DRIVERS=/tmp/x",
        "IBV_DRIVERS=mlx5:/tmp/x",
        "IBV_A_SETTING_TO_COME=x/y",
        "NCCL_A_SETTING_TO_COME=libx.so",
        "NCCL_A_SETTING_TO_COME=~root",
        "NCCL_A_SETTING_TO_COME=10.0.0.0/8,/tmp/x",
        "OMPI_MCA_mca_base_param_file_prefix=x.conf",
        "OMPI_MCA_mca_base_envar_file_prefix=x.conf",
        "OMPI_MCA_hook_x=1",
        "UCX_MODULE_DIR=x",
        "FI_PROVIDER_PATH=none",
        "UCC_COMPONENT_PATH=x",
        "UCX_HANDLE_ERRORS=debug",
        "MPICH_DBG_FILENAME=x",
        "OMPI_MCA_pml_monitoring_filename=x",
        "OMPI_MCA_common_monitoring_filename=x",
        "FI_OFI_HOOK_MONITOR_BASEPATH=x",
        "OFI_NCCL_TOPO_FILE_TEMPLATE=x",
        "CUDA_ENABLE_COREDUMP_ON_EXCEPTION=yes",
    ],
)
def test_no_job_makes_us_run_its_programs(tmp_path: Path, setting: str) -> None:
    file = tmp_path / "job.env"
    file.write_text(f"{setting}\nNCCL_TOPO_FILE=/etc/topo.xml\nOMPI_MCA_pml=ucx\n")
    kept = {"NCCL_TOPO_FILE": "/etc/topo.xml", "OMPI_MCA_pml": "ucx"}
    assert borrowed(str(file)) == Borrowed(kept, (setting.partition("=")[0],))


def test_a_library_of_this_machine_may_be_chosen(tmp_path: Path) -> None:
    file = tmp_path / "job.env"
    file.write_text("NCCL_NET_PLUGIN=ofi\nNCCL_TUNER_PLUGIN=none\nUCX_RC_PATH_MTU=4096\nUCX_STATS_DEST=stderr\n")
    kept = {
        "NCCL_NET_PLUGIN": "ofi",
        "NCCL_TUNER_PLUGIN": "none",
        "UCX_RC_PATH_MTU": "4096",
        "UCX_STATS_DEST": "stderr",
    }
    assert borrowed(str(file)) == Borrowed(kept, ())


@pytest.mark.parametrize(
    "setting",
    [
        "OMPI_MCA_btl_tcp_if_include=10.0.0.0/24,fd00::/8",
        "OMPI_MCA_opal_net_private_ipv4=10.0.0.0/8;172.16.0.0/255.240.0.0",
        "NCCL_IB_ADDR_RANGE=10.1.0.0/16",
        "NCCL_NET_PLUGIN=libnccl-net.so",
        "NCCL_ALGO=allreduce:ring,tree;broadcast:ring",
        "UCX_IB_SUBNET_PREFIX=fe80::",
        "UCX_LOG_FILE_SIZE=16m",
        "UCC_TL_UCP_TUNE=allreduce:0-4k:@0#alltoall:inf",
        "FI_HOOK=perf",
        "RDMAV_DRIVERS=mlx5",
        "MPICH_OFI_NIC_POLICY=GPU",
        "OMPI_MCA_coll_tuned_dynamic_rules_filename=/home/me/rules.conf",
    ],
)
def test_what_tunes_communication_is_taken(tmp_path: Path, setting: str) -> None:
    name, _, value = setting.partition("=")
    (tmp_path / "job.env").write_text(f"{setting}\n")
    assert borrowed(str(tmp_path / "job.env")) == Borrowed({name: value}, ())


def test_assignments() -> None:
    assert parse_assignments(["A=1", "B=x=y", "C="]) == {"A": "1", "B": "x=y", "C": ""}
    for wrong in ("A", "=1", "1A=2", "A B=1", "A=\0"):
        with pytest.raises(SlowlinkError, match=r"no NAME=VALUE"):
            parse_assignments([wrong])
