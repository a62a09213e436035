"""A program that meets, fails and prints as perftest's ib_write_bw does, without an RDMA device."""

from __future__ import annotations

import sys
from pathlib import Path

_TEXT = """\
#!{python} -S
import os, socket, sys, time
LATE, SERVER_DIES, BROKEN, GBIT = {late!r}, {server_dies!r}, {broken!r}, {gbit!r}
words = sys.argv[1:]
port = int(words[words.index("-p") + 1])
device = words[words.index("-d") + 1] if "-d" in words else "mlx5_0"
sizes = [2 << power for power in range(23)] if "-a" in words else [int(words[words.index("-s") + 1])]
RULER = "-" * 87


def table():
    print(RULER)
    print("                    RDMA_Write BW Test")
    print(" Dual-port       : OFF\\t\\tDevice         : " + device)
    print(" Number of qps   : 1\\t\\tTransport type : IB")
    print(" Connection type : RC\\t\\tUsing SRQ      : OFF")
    print(" Mtu             : 4096[B]")
    print(" Link type       : IB")
    if any(word.startswith("--use_cuda") for word in words):
        print(" Use CUDA memory : ON")
    print(" rdma_cm QPs\\t : OFF")
    print(" Data ex. method : Ethernet")
    print(RULER)
    print(" #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]")
    for size in sizes:
        print(f" {{size:<10}} 5000             {{GBIT + 0.5:.2f}}             {{GBIT:.2f}}              0.186932")
    print(RULER)


def fail(*lines):
    sys.stderr.write("".join(line + "\\n" for line in lines))
    sys.exit(1)


def serve():
    if SERVER_DIES:
        fail(" Port number 1 state is Down", " Couldn't set the link layer")
    time.sleep(LATE)
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("", port))
    listener.listen(1)
    peer, _ = listener.accept()
    listener.close()
    if peer.recv(5) != b"hello":
        fail(" Unable to read from socket: the other side went away")
    peer.sendall(b"hello")
    table()


def call(host):
    if device == BROKEN:
        fail(f" IB device {{device}} not found", " Unable to find the Infiniband/RoCE device")
    try:
        peer = socket.create_connection((host, port), 5)
    except OSError:
        fail(f"Couldn't connect to {{host}}:{{port}}", " Unable to init the socket connection")
    peer.sendall(b"hello")
    if peer.recv(5) != b"hello":
        fail(" Failed status 12: wr_id 0 syndrom 0x81", "scnt=128, ccnt=0")
    table()


host = None if words[-1].isdigit() or words[-1] == device or words[-1].startswith("-") else words[-1]
serve() if host is None else call(host)
"""


def fake_perftest(
    directory: Path,
    *,
    late: float = 0,
    server_dies: bool = False,
    broken: str = "",
    gbit: float = 98.0,
) -> Path:
    """``late``: seconds before the server listens. ``broken``: a device that the client lacks."""
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / "ib_write_bw"
    path.write_text(_TEXT.format(python=sys.executable, late=late, server_dies=server_dies, broken=broken, gbit=gbit))
    path.chmod(0o755)
    return path
