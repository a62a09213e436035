from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from text_findings import diagnoses_of, findings_of, said

ALLOC = "b-71:33:34 [6] include/alloc.h:228 NCCL WARN Cuda failure 2 'out of memory'\n"
AGAIN = "b-71:33:34 [6] include/alloc.h:330 NCCL WARN Failed to CUDA calloc async 16777216 bytes\n"
END = "b-71:33:34 [6] NCCL INFO channel.cc:41 -> 1\n"


def test_nccl_finds_no_room_for_its_buffers() -> None:
    assert said("gpu-out-of-memory", ALLOC + AGAIN + END) == snapshot(
        [("gpu-out-of-memory", "critical", "likely", "b-71: NCCL or its caller found no room in the memory of a GPU")]
    )
    assert [each.cause for each in diagnoses_of(ALLOC + AGAIN + END)] == ["gpu-out-of-memory"]


@pytest.mark.parametrize("error", ["invalid argument", "operation not supported", "an illegal memory access"])
def test_other_errors_say_nothing_of_it(error: str) -> None:
    assert findings_of("gpu-out-of-memory", ALLOC.replace("out of memory", error) + AGAIN) == ()
