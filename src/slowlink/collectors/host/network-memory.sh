# title: how much memory TCP connections may take, and how many may wait
# timeout: 5
# when: always
# What NCCL's sockets, MPI over TCP and file servers get.
grep -Hs . "$ROOT"/proc/sys/net/core/rmem_max "$ROOT"/proc/sys/net/core/wmem_max "$ROOT"/proc/sys/net/core/somaxconn \
  "$ROOT"/proc/sys/net/ipv4/tcp_rmem "$ROOT"/proc/sys/net/ipv4/tcp_wmem \
  "$ROOT"/proc/sys/net/ipv4/tcp_congestion_control
exit 0
