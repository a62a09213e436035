"""A real API server (kube-apiserver over etcd) on loopback, for one test session. No kubelet: pods never run.

``SLOWLINK_KUBE_APISERVER`` names the binary (tools/build_kube_apiserver.sh builds it); etcd and kubectl come from PATH.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import ssl
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

_TOKENS = 'tok-admin,admin,1,"system:masters"\ntok-guest,guest,2\n'
_START_S = 90.0


class Cluster(NamedTuple):
    """How kubectl reaches the server."""

    admin: dict[str, str]
    """Environment of the administrator."""
    guest: dict[str, str]
    """Environment of a user who may do nothing."""


@pytest.fixture(name="cluster", scope="session")
def api_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    server = os.environ.get("SLOWLINK_KUBE_APISERVER")
    etcd, kubectl = shutil.which("etcd"), shutil.which("kubectl")
    if server is None or not os.access(server, os.X_OK):
        pytest.skip("no API server: SLOWLINK_KUBE_APISERVER names none (tools/build_kube_apiserver.sh builds it)")
    if etcd is None or kubectl is None:
        pytest.skip("etcd and kubectl are needed on PATH")
    directory = tmp_path_factory.mktemp("cluster")
    client, peer, secure = _free_ports(3)
    (directory / "tokens.csv").write_text(_TOKENS)
    key = directory / "sa.key"
    subprocess.run(["openssl", "genrsa", "-out", str(key), "2048"], check=True, capture_output=True)
    etcd_url, peer_url = f"http://127.0.0.1:{client}", f"http://127.0.0.1:{peer}"
    started = [
        _start(
            [
                *(etcd, f"--data-dir={directory / 'etcd'}", f"--listen-client-urls={etcd_url}"),
                *(f"--advertise-client-urls={etcd_url}", f"--listen-peer-urls={peer_url}"),
                *(f"--initial-advertise-peer-urls={peer_url}", f"--initial-cluster=default={peer_url}"),
            ],
            directory / "etcd.log",
        )
    ]
    try:
        started.append(
            _start(
                [
                    *(server, f"--etcd-servers={etcd_url}", "--bind-address=127.0.0.1", f"--secure-port={secure}"),
                    *(f"--cert-dir={directory / 'certs'}", f"--service-account-key-file={key}"),
                    *(f"--service-account-signing-key-file={key}", "--service-account-issuer=https://cluster.example"),
                    *(f"--token-auth-file={directory / 'tokens.csv'}", "--authorization-mode=RBAC"),
                    *("--service-cluster-ip-range=10.0.0.0/24", "--disable-admission-plugins=ServiceAccount"),
                    *("--allow-privileged=true", "--advertise-address=127.0.0.1"),
                ],
                directory / "server.log",
            )
        )
        _await(secure, started[-1], directory / "server.log")
        yield Cluster(admin=_environment(directory, "admin", secure), guest=_environment(directory, "guest", secure))
    finally:
        for process in reversed(started):
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _start(argv: list[str], log: Path) -> subprocess.Popen[bytes]:
    with log.open("wb") as file:
        return subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT)


def _await(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    context = ssl._create_unverified_context()
    request = urllib.request.Request(f"https://127.0.0.1:{port}/readyz", headers={"Authorization": "Bearer tok-admin"})
    end = time.monotonic() + _START_S
    while time.monotonic() < end and process.poll() is None:
        try:
            with urllib.request.urlopen(request, context=context, timeout=5) as answer:
                if answer.read() == b"ok":
                    return
        except OSError:
            time.sleep(0.1)
    pytest.fail(f"the API server did not start:\n{log.read_text()[-2000:]}")


def _environment(directory: Path, user: str, port: int) -> dict[str, str]:
    path = directory / f"{user}.kubeconfig"
    path.write_text(
        f"""\
apiVersion: v1
kind: Config
current-context: test
clusters:
- name: test
  cluster: {{server: "https://127.0.0.1:{port}", insecure-skip-tls-verify: true}}
users:
- name: {user}
  user: {{token: tok-{user}}}
contexts:
- name: test
  context: {{cluster: test, user: {user}}}
"""
    )
    return {**os.environ, "KUBECONFIG": str(path), "HOME": str(directory), "NO_PROXY": "127.0.0.1"}


def _free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [int(each.getsockname()[1]) for each in sockets]
    for each in sockets:
        each.close()
    return ports
