"""What the drivers of network adapters, the InfiniBand core and IPoIB say: which part a line is about."""

from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from text_findings import findings_of

from slowlink.catalog.vocabulary import meaning_of
from slowlink.inputs import Input
from slowlink.model.job import JobEvent
from slowlink.parsers.reading.read import read


def events_of(text: str) -> tuple[JobEvent, ...]:
    line = f"[  812.345678] {text}\n"
    return tuple(read([Input("dmesg.txt", None, [line.encode()])], workers=1).events)


def sort_and_kind(text: str) -> tuple[str, str] | None:
    for event in events_of(text):
        known = meaning_of(event.origin, event.kind)
        return (known.sort if known else "", event.kind)
    return None


PARTS = (
    "mlx5_core 0000:12:00.0: mlx5_load:1341:(pid 9): Failed to create EQs",
    "mlx5_core 0000:12:00.0: esw_create_fdb:12:(pid 9): Failed to create grommet FDB Table err -12",
    "mlx5_core 0000:12:00.0: mlx5_rdma_enable_roce:152:(pid 9): Failed to enable RoCE: -5",
    "mlx5_core 0000:12:00.0 ens1np0: Failed to move sq 0x12 to ready",
    "mlx5_core 0000:12:00.0: create_gsi:1:(pid 9): unable to create grommet CQ for GSI QP. error -12",
    "mlx5_core 0000:12:00.0: alloc_uars_page:131:(pid 9): mlx5_cmd_alloc_uar() failed, -5",
    "bnxt_en 0000:12:00.0 ens1f0np0: hwrm vnic 3 set rss failure rc: fffffff3",
    "bnxt_en 0000:12:00.0 bnxt_re0: Failed to modify HW QP",
    "ice 0000:12:00.0: PF VSI rebuild failed: -5",
    "ice 0000:12:00.0: The DDP package file was not found or could not be read. Entering Safe Mode",
    "ice 0000:12:00.0: VF 3 failed opcode 12, to add MAC for VF 3",
    "efa 0000:10:1b.0: Failed to submit set_feature command 12 error: -110",
    "hfi1 0000:12:00.0: hfi1_0: SerDes: Failed to transition to Polling link state, return 0x2",
    "cxi_ss1 0000:12:00.0: cxi0[hsn0]: sl_link_policy_set failed [-22]",
    "ionic 0000:12:00.0: Cannot initialize completion queue",
    "infiniband mlx5_3: Couldn't register device with driver model",
    "ib0: transmit timeout: latency 2300 msecs",
    "ib0.8001: ib_sa_join_multicast failed, status -22",
    "RDMA CMA: got different BTH P_Key (0x8001) and primary path P_Key (0xffff)",
)


def test_a_line_tells_which_part_of_the_adapter_it_is_about() -> None:
    assert [sort_and_kind(text) for text in PARTS] == snapshot(
        [
            ("symptom", "mlx5-start-step-failed"),
            ("fact", "mlx5-steering-failed"),
            ("symptom", "mlx5-roce-setup-failed"),
            ("symptom", "mlx5-netdev-queue-recovery"),
            ("symptom", "mlx5-management-queue-failed"),
            ("symptom", "mlx5-doorbell-failed"),
            ("symptom", "nic-ring-failed"),
            ("symptom", "nic-verbs-object-failed"),
            ("symptom", "nic-reset-failed"),
            ("symptom", "nic-safe-mode"),
            ("fact", "nic-virtual-function-note"),
            ("symptom", "nic-command-trouble"),
            ("symptom", "nic-link-trouble"),
            ("symptom", "nic-link-trouble"),
            ("symptom", "nic-ring-failed"),
            ("symptom", "ib-device-registration-failed"),
            ("symptom", "ipoib-queue-failed"),
            ("symptom", "ipoib-multicast-failed"),
            ("fact", "ib-partition-key-mismatch"),
        ]
    )


HEALTHY = (
    "mlx5_core 0000:12:00.0: handle_hca_cap:601:(pid 1): log_max_qp value in current profile is 18, changing it to "
    "HCA capability limit (17)",
    "mlx5_core 0000:12:00.0: wait_fw_init:211:(pid 1): Waiting for FW initialization, timeout abort in 100s (0x1)",
    "mlx5_core 0000:12:00.0 ens1np0: Disabling LRO, not supported in legacy RQ",
    "mlx5_core 0000:12:00.0: mlx5_cmd_force_teardown_hca:250:(pid 1): teardown with force mode failed, doing normal "
    "teardown",
    "bnxt_en 0000:12:00.0 ens1f0np0: Device requests max timeout of 60 seconds, may trigger hung task watchdog",
    "ice 0000:12:00.0: Fail during requesting FW: -2",
    "ena 0000:00:05.0: LLQ is not supported Fallback to host mode policy.",
    "ena 0000:00:05.0: Func hash 0 isn't supported by device, abort",
    "cxi_ss1 0000:12:00.0: cxi0[hsn0]: NID has not been explicitly set. NID derived from MAC: 0x12",
    "ib0: mtu > 2044 will cause multicast packet drops.",
)


@pytest.mark.parametrize("text", HEALTHY)
def test_what_healthy_machines_print_at_boot_accuses_nobody(text: str) -> None:
    found = sort_and_kind(text)
    assert found is not None
    assert found[0] == "fact"
    for rule in ("program-said", "said-in-other-words", "hca-fault"):
        assert findings_of(rule, f"[  812.345678] {text}\n") == ()


def test_words_of_complaint_alone_name_no_part() -> None:
    kinds = [
        sort_and_kind(f"{driver}: Failed to frob the zyzzyva of board 7, invalid quux")
        for driver in ("mlx5_core 0000:12:00.0", "bnxt_en 0000:12:00.0", "cxi_ss1 0000:12:00.0", "ib0")
    ]
    assert kinds == [("fact", "driver-step-failed")] * 4


def test_lines_of_an_ipoib_interface_need_the_kernels_stamp() -> None:
    line = b"ib0: transmit timeout: latency 2300 msecs\n"
    assert read([Input("note.txt", None, [line])], workers=1).events == ()
