# title: what the kernel says of GPUs, PCIe, links, IOMMU and memory
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
printf '%s\n' "$log" | grep -E "$kinds" | grep -v 'ommand line:' | tail -n 400
exit 0
