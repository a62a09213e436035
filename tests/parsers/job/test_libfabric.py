"""libfabric's log beside that of a job."""

from __future__ import annotations

import pytest
from event_logs import events_of
from inline_snapshot import snapshot

from slowlink.parsers.job.libfabric import Libfabric

LOG = """\
libfabric:4711:1700000000::core:core:fi_param_get_():279<info> variable provider_path=<not set>
libfabric:4711:1700000000::core:core:cuda_hmem_dl_init():294<warn> Failed to dlopen libcuda.so
libfabric:4711:1700000000::core:core:ofi_hmem_init():339<warn> Failed to initialize hmem iface FI_HMEM_CUDA: No data available
libfabric:4711:1700000000::core:core:ofi_hmem_init():339<warn> Failed to initialize hmem iface FI_HMEM_ROCR: No data available
gpu01:4711:4760 [0] NCCL INFO NET/OFI Selected provider is cxi
libfabric:4711:1700000001::cxi:mr:cxip_do_map():61<warn> node7: cxi_map failed: -12:Cannot allocate memory
libfabric:4711:1700000001::cxi:mr:cxip_do_map():61<warn> node7: cxi_map failed: -12:Cannot allocate memory
fi_mr_regattr failed: -12 Cannot allocate memory
fi_getinfo() failed: -61 No data available
"""


def test_warnings_that_matter_among_those_that_do_not() -> None:
    assert events_of(Libfabric, LOG) == snapshot(
        [
            ("libfabric-hmem-missing", None, None, {"library": "libcuda.so"}, 1),
            ("libfabric-hmem-missing", None, None, {"interface": "FI_HMEM_CUDA", "error": "No data available"}, 1),
            ("libfabric-mr-failed", None, None, {"call": "cxi_map"}, 2),
            ("libfabric-mr-failed", None, None, {}, 1),
            ("libfabric-no-provider", None, None, {}, 1),
        ]
    )


@pytest.mark.parametrize(
    "text",
    [
        "libfabric:4711:1700000000::core:core:fi_getinfo_():1201<info> Since no data available, using the next",
        "Failed to initialize hmem iface FI_HMEM_ZE: Function not implemented",
        "the map failed to show the cluster",
    ],
)
def test_other_lines_are_no_events(text: str) -> None:
    assert events_of(Libfabric, text) == []
