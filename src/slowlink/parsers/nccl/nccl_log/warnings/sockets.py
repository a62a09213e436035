"""TCP: bootstrap, connections, proxies."""

from __future__ import annotations

from slowlink.parsers.nccl.nccl_log.message import Sample, sample
from slowlink.parsers.nccl.nccl_log.warning import warning

_BOTH = ("WARN", "INFO")
_FUNCTION = r"(?:Net ?: |\w{1,60} ?: )?"

MESSAGES = (
    warning(
        "no-socket-interface",
        "No interface for TCP: NCCL_SOCKET_IFNAME matches nothing, or only lo exists.",
        r"(?P<who>Bootstrap|NET/Socket) ?: (?:no socket interface found|No usable listening interface found"
        r"|no interface found)",
        *sample(
            "all",
            "Bootstrap : no socket interface found",
            "NET/Socket : No usable listening interface found",
            "NET/Socket : no interface found",
        ),
        bare=True,
    ),
    warning(
        "connect-retried",
        "A TCP connection was refused or timed out and is tried again.",
        _FUNCTION + r"[Cc]onnect to (?P<peer>\S+) returned (?P<error>[^,]{1,120}), retrying",
        *sample(
            "2.20+",
            "socketPollConnect: connect to 10.0.0.2<41331> returned Connection refused, retrying (3/34) after sleep",
            "socketStartConnect: connect to 10.0.0.2<41331> returned Connection refused, retrying (3/34) after sleep",
            "ncclOsSocketPollConnect: connect to 10.0.0.2<41331> returned Connection refused, retrying (3/34) after",
        ),
        levels=("INFO",),
        secondary=True,
    ),
    warning(
        "connect-failed",
        "A TCP connection failed: refused is a dead peer, no route or timed out a firewall or the wrong interface.",
        _FUNCTION
        + r"[Cc]onnect to (?P<peer>\S+) (?:failed ?: (?P<error>\S[^\[(]{0,120}[^\s\[(])|returned (?:\d{1,6} ?\()?"
        r"(?P<returned>[A-Z][^,()]{1,120}))(?:.{0,60}?errno (?P<errno>\d{1,5}))?",
        Sample("2.10-2.15", "Net : Connect to 10.0.0.2<41331> failed : Connection refused"),
        Sample("2.16-2.23", "socketStartConnect: Connect to 10.0.0.2<41331> failed : No route to host"),
        Sample(
            "2.20-2.23",
            "socketPollConnect: Connect to 10.0.0.2<41331> returned 110(Connection timed out) errno 115(Operation)",
        ),
        Sample(
            "2.27+",
            "socketPollConnect: connect to 10.0.0.2<41331> returned Connection refused, exceeded error retry count "
            "after 35 attempts",
        ),
        levels=_BOTH,
        bare=True,
    ),
    warning(
        "peer-closed",
        "The other end of a TCP connection went away: that rank has failed or exited.",
        _FUNCTION + r"Connection closed by remote peer(?: (?P<peer>\S+))?",
        Sample("2.10-2.15", "Net : Connection closed by remote peer node2<41331>"),
        Sample("2.16+", "socketProgress: Connection closed by remote peer node2<41331>"),
        levels=_BOTH,
        secondary=True,
        bare=True,
    ),
    warning(
        "socket-failed",
        "Sending or receiving over TCP failed: the other rank has gone.",
        _FUNCTION
        + r"Call to (?P<call>recv|send|accept|recvmsg|sendmsg|poll) (?:from |to )?(?:(?P<peer>\S+) )?failed ?: "
        r"(?P<error>.{1,120})",
        *sample(
            "all",
            "Net : Call to recv from 10.0.0.2<41331> failed : Connection reset by peer",
            "socketProgressOpt: Call to recv from 10.0.0.2<41331> failed : Connection reset by peer",
            "ncclOsSocketProgressOpt: Call to recv from 10.0.0.2<41331> failed : Broken pipe",
        ),
        secondary=True,
    ),
    warning(
        "socket-message-truncated",
        "Two ranks disagree on the size of a message: different collectives or settings.",
        r"NET/Socket ?: peer (?P<peer>\S+) message truncated ?: receiving (?P<received>\d{1,20}) bytes instead of "
        r"(?P<expected>\d{1,20})",
        Sample(
            "all", "NET/Socket : peer 10.0.0.2<41331> message truncated : receiving 65536 bytes instead of 32768. If"
        ),
    ),
    warning(
        "bootstrap-message-truncated",
        "Two ranks disagree in the bootstrap: different versions of NCCL or different world sizes.",
        r"Message truncated ?: received (?P<received>\d{1,20}) bytes instead of (?P<expected>\d{1,20})",
        Sample("all", "Message truncated : received 1024 bytes instead of 256"),
    ),
    warning(
        "bootstrap-mismatch",
        "The ranks do not agree on the world: wrong size, a rank twice, or two jobs with one id.",
        r"Bootstrap Root ?: (?:mismatch in (?:info|rank count) from procs|rank (?P<rank>\d{1,9}) of "
        r"(?P<nranks>\d{1,9}) ranks has already checked in)",
        *sample(
            "all",
            "Bootstrap Root : mismatch in info from procs, nranks 8 vs 16",
            "Bootstrap Root : mismatch in rank count from procs 8 : 16",
            "Bootstrap Root : rank 3 of 8 ranks has already checked in",
        ),
    ),
    warning(
        "version-mismatch",
        "Ranks use different versions of NCCL.",
        r"Mismatched NCCL version detected ?: rank (?P<rank_a>\d{1,9}) version (?P<version_a>\d{1,9}) "
        r"rank (?P<rank_b>\d{1,9}) version (?P<version_b>\d{1,9})",
        Sample("2.23+", "Mismatched NCCL version detected : rank 0 version 22602 rank 8 version 22304"),
    ),
    warning(
        "wrong-magic",
        "Somebody else connected: a port scanner or another job.",
        r"socketFinalizeAccept(?: from \S+)?: (?:wrong (?:magic|socket type)"
        r"|didn't receive a valid magic|socket magic)",
        *sample(
            "2.16+",
            "socketFinalizeAccept: wrong magic 1a2b != 564ab9f2fc4b9d6c",
            "socketFinalizeAccept: didn't receive a valid magic from 10.0.0.9<51234>",
            "socketFinalizeAccept from 10.0.0.9<51234>: socket magic mismatch (1a != 2b), discarding peer connection",
        ),
        levels=_BOTH,
    ),
    warning(
        "comm-id-invalid",
        "NCCL_COMM_ID is no address.",
        r"Invalid NCCL_COMM_ID",
        Sample("all", "Invalid NCCL_COMM_ID, please use format: <ipv4>:<port> or [<ipv6>]:<port> or <hostname>:<port>"),
    ),
    warning(
        "proxy-operation-failed",
        "The proxy thread failed after an error that is logged before.",
        r"\[Proxy Service(?: UDS)? ?(?P<rank>\d{1,9})?\] Failed to execute operation (?P<operation>\w+) from rank "
        r"(?P<from_rank>\d{1,9}), retcode (?P<code>\d{1,5})",
        Sample("2.12+", "[Proxy Service 3] Failed to execute operation Connect from rank 3, retcode 2"),
        secondary=True,
    ),
    warning(
        "service-thread-error",
        "The service thread failed after an error that is logged before.",
        r"\[Service thread\] (?:Error encountered progressing operation=(?P<operation>\w+)|Could not receive type)",
        *sample(
            "2.12+",
            "[Service thread] Error encountered progressing operation=Connect, res=3, closing connection",
            "[Service thread] Could not receive type from localRank 3, res=3, closed=0",
        ),
        secondary=True,
    ),
    warning(
        "accept-failed",
        "A connection could not be accepted: often too many open files.",
        r"\[Service thread\] Accept failed (?P<error>.{1,100})",
        Sample("2.12+", "[Service thread] Accept failed Too many open files"),
        levels=_BOTH,
    ),
    warning(
        "proxy-aborted",
        "The communicator is being given up after an error elsewhere.",
        r"(?:Socket recv failed while polling for opId|Comm \S+ is in abort state|Proxy (?:response|[Cc]all|thread))",
        *sample(
            "2.14+",
            "Socket recv failed while polling for opId=0x7f2a40",
            "Comm 0x55d0c5e0b2a0 is in abort state",
            "Proxy response for opId=0x7f2a40 not found",
            "Proxy Call to rank 3 failed (Connect)",
        ),
        secondary=True,
    ),
    warning(
        "uds-failed",
        "Passing file descriptors between local ranks failed: containers without a common network namespace.",
        r"(?:\w+: )?UDS: (?P<what>Sending data over socket|Binding to socket|Receiving|Socket|Connecting|ncclIpc)",
        *sample(
            "2.18+",
            "UDS: Sending data over socket /tmp/nccl-socket-3-1a2b failed : Connection refused (111)",
            "UDS: Binding to socket /tmp/nccl-socket-3-1a2b failed : Address already in use (98)",
        ),
    ),
)
