"""What RCCL's telemetry calls counters, and what they are in the catalogue.

It has one name for the counters of several drivers that mean the same; behind each the driver's, where it differs.
Source: tables ``rcclHwcMlx5``, ``rcclHwcThor2`` (bnxt_re), ``rcclHwcAinic`` (ionic) of ``net_telemetry.cc``.
"""

from __future__ import annotations

from slowlink.parsers.forms.port_counters import attribute_of

_OF_PORT = {
    "ecn_marked_pkts": "rdma-np-ecn-marked-roce-packets",  # np_ecn_marked_roce_packets, rx_rdma_ecn_pkts
    "cnp_sent": "rdma-np-cnp-sent",  # np_cnp_sent, tx_rdma_cnp_pkts
    "cnp_handled": "rdma-rp-cnp-handled",  # rp_cnp_handled
    "cnp_rcvd": "rdma-rp-cnp-handled",  # rx_rdma_cnp_pkts
    "cnp_ignored": "rdma-rp-cnp-ignored",  # rp_cnp_ignored
    "out_of_buffer": "rdma-out-of-buffer",  # resp_rx_outof_buf
    "oos_drop_count": "rdma-out-of-sequence",  # out_of_sequence, res_oos_drop_count, resp_rx_outouf_seq
    "seq_err_naks_rcvd": "rdma-packet-seq-err",  # packet_seq_err, req_rx_pkt_seq_err
    "local_ack_timeout_err": "rdma-local-ack-timeout-err",
    "to_retransmits": "rdma-local-ack-timeout-err",  # tx_rdma_ack_timeout
    "rnr_retry_err": "rdma-rnr-nak-retry-err",  # rnr_nak_retry_err, rnr_naks_rcvd, req_rx_rnr_retry_err
    "max_retry_exceeded": "rdma-req-transport-retries-exceeded",  # req_tx_retry_excd_err
    "tx_rdma_retx_pkts": "rdma-retransmissions",
    "dup_req": "rdma-duplicate-request",
    "resp_rx_dup_request": "rdma-duplicate-request",
    "req_rx_impl_nak_seq_err": "rdma-implied-nak-seq-err",
    "req_rx_cqe_err": "rdma-req-cqe-error",
    "resp_rx_cqe_err": "rdma-resp-cqe-error",
    "req_rx_cqe_flush": "rdma-req-cqe-flush-error",
    "resp_rx_cqe_flush": "rdma-resp-cqe-flush-error",
    "req_rx_rmt_acc_err": "rdma-req-remote-access-errors",
    "resp_tx_rmt_acc_err": "rdma-resp-remote-access-errors",
    "req_rx_rmt_req_err": "rdma-req-remote-invalid-request",
    "resp_rx_loc_len_err": "rdma-resp-local-length-error",
    "rx_roce_discard_pkts": "rdma-receive-drops",
}
_OF_INTERFACE = {
    "pfc_rx_pause_frames": "interface-pause-received",
    "pfc_tx_pause_frames": "interface-pause-sent",
    "rx_discards": "interface-rx-discards",
    "tx_discards": "interface-tx-discards",
    "hw_rx_dropped": "interface-rx-dropped",
    "hw_tx_dropped": "interface-tx-dropped",
    "rx_errors": "interface-rx-errors",
    "tx_errors": "interface-tx-errors",
}
OF_PRIORITY = {"pfc_rx_frames": "priority-pause-received", "pfc_tx_frames": "priority-pause-sent"}
"""Lists, with a count for each priority."""


def counter_of(name: str) -> tuple[str, str] | None:
    """(kind of part, attribute) of a counter; None for one that says nothing here."""
    if name in _OF_INTERFACE:
        return "interface", _OF_INTERFACE[name]
    found = _OF_PORT.get(name) or attribute_of(name)
    return ("port", found) if found is not None and found.startswith("rdma-") else None
