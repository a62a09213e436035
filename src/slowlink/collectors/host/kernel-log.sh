# title: what the kernel says of GPUs, PCIe, links, IOMMU, memory and file systems
# timeout: 30
# when: always
# root: better
# The newest 400 lines of these kinds. The kernel's command line is left out: its own collector asks for what matters.
log=$(LC_ALL=C dmesg 2>/dev/null) || log=
[ -n "$log" ] || log=$(LC_ALL=C journalctl -k -b -q --no-pager -o short-iso 2>/dev/null | tail -n 100000)
[ -n "$log" ] || { echo "needs root: neither dmesg nor journalctl -k shows the kernel log" >&2; exit 77; }
kinds='NVRM|Xid|nvswitch|nvidia-peermem|AER: |PCIe Bus Error|limited by|mlx[45]_core|NIC Link is|ink becomes|[Cc]arrier'
kinds="$kinds|Link (up|down)|iommu: Default|IOMMU enabled|AMD-Vi|Out of memory|oom-kill|Killed process|Hardware Error"
kinds="$kinds|blocked for more than|soft lockup|segfault at|temperature above|mm_kobj|amdgpu.*(reset|fault|RAS)"
kinds="$kinds|EDAC |mce: |nvme.*(timeout|controller is down|I/O)|I/O error|(EXT4|XFS|BTRFS).*([Ee]rror|[Cc]orrupt|shut)"
kinds="$kinds|nfs: server|LustreError|ceph: mds|read-only|rcu.*stall"
printf '%s\n' "$log" | grep -E "$kinds" | grep -v 'ommand line:' | tail -n 400
exit 0
