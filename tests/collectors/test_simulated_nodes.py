"""What simulated nodes print is read to the last line, and as what it says: renderers and parsers share no code."""

from __future__ import annotations

import pytest

from slowlink.facts.assemble import assemble
from slowlink.inputs import Input
from slowlink.model.facts import State
from slowlink.parsers.reading.read import read
from slowlink.simulate.node_state import lspci_output, mx_smi_output, nvidia_smi_output, rdma_output
from slowlink.simulate.node_state.description import Busy, SimulatedNode
from slowlink.simulate.node_state.kernel_files import kernel_files

NODE = SimulatedNode("gpu01", 1, gpus=4, acs=True, slow_port=2, symbol_errors=(0, 7), busy=Busy(gpu=1))
METAX = SimulatedNode("gpu01", 1, gpus=4, vendor="metax", driver="3.3.12", busy=Busy(gpu=1))

TEXTS = {
    "nvidia-smi -q": nvidia_smi_output.query(NODE),
    "nvidia-smi pmon": nvidia_smi_output.monitor(NODE),
    "nvidia-smi nvlink -s": nvidia_smi_output.nvlink_state(NODE),
    "nvidia-smi nvlink -e": nvidia_smi_output.nvlink_errors(NODE),
    "nvidia-smi topo -m": nvidia_smi_output.topology(NODE),
    "lspci -vvv": lspci_output.verbose(NODE),
    "lspci": lspci_output.brief(NODE),
    "ibstat": rdma_output.ibstat(NODE),
    "ibv_devinfo": rdma_output.ibv_devinfo(NODE),
    "rdma link": rdma_output.rdma_link(NODE),
    "mx-smi": mx_smi_output.table(METAX),
}


def state_of(text: str) -> State:
    found = assemble(read([Input("t", None, [text.encode()])], workers=1)).state
    assert found is not None
    return found


def values(state: State, attribute: str) -> dict[str, object]:
    return {reading.part.name: reading.value for reading in state.readings[attribute].all}


@pytest.mark.parametrize("name", TEXTS)
def test_every_line_is_read(name: str) -> None:
    (stats,) = read([Input("t", None, [TEXTS[name].encode()])], workers=1).sources
    assert [ref.text for ref in stats.unread_samples] == []
    assert stats.used > 0


def test_gpus() -> None:
    state = state_of(TEXTS["nvidia-smi -q"])
    assert values(state, "driver-version") == {"": "570.133.20"}
    assert set(values(state, "gpu-name").values()) == {"NVIDIA H100 80GB HBM3"}
    assert values(state, "process-name") == {"48213": "python3"}
    assert values(state_of(TEXTS["mx-smi"]), "driver-version") == {"": "3.3.12"}


def test_bridges() -> None:
    redirecting = {name for name, value in values(state_of(TEXTS["lspci -vvv"]), "acs-redirect").items() if value}
    assert redirecting == {f"0000:{base:02x}:{port:02x}.0" for base in (0x12, 0x22, 0x32, 0x42) for port in (0, 1)}


def test_kernel_files() -> None:
    text = "".join(f"/{path}:{line}\n" for path, content in kernel_files(NODE).items() for line in content.splitlines())
    state = state_of(text)
    assert values(state, "port-rate") == {f"mlx5_{hca}/1": 200.0 if hca == 2 else 400.0 for hca in range(4)}
    assert values(state, "port-symbol-errors") == {f"mlx5_{hca}/1": 7 if hca == 1 else 0 for hca in range(4)}
    assert set(values(state, "cpu-governor").values()) == {"performance"}
    assert values(state, "module-loaded")["nvidia_peermem"] is True
