# title: versions of kernel, operating system, OFED, NCCL and its plug-ins
# timeout: 60
# when: always
grep -Hs . "$ROOT"/proc/sys/kernel/osrelease
grep -hs '^PRETTY_NAME=' "$ROOT"/etc/os-release
[ -z "$ROOT" ] || exit 0 # what follows would ask the container, not the host
command -v ofed_info >/dev/null 2>&1 && ofed_info -s 2>/dev/null
names='(lib)?[nr]ccl|aws-ofi|libfabric|rdma-core|libibverbs|mlnx-ofa|mlnx-ofed|ofed-scripts|doca-ofed|nvidia-(fabric|imex|peer)'
names="$names|datacenter-gpu-manager|nvlsm|perftest|ucx|nvidia-container|containerd|docker-ce|podman|cri-o|apptainer|enroot"
if command -v dpkg >/dev/null 2>&1; then
  COLUMNS=400 LC_ALL=C dpkg -l 2>/dev/null | grep -E "^[hi]i +($names)" | cut -c 1-200
fi
if command -v rpm >/dev/null 2>&1; then
  LC_ALL=C rpm -qa 2>/dev/null | grep -E "^($names)" | sort
fi
PATH="$PATH:/sbin:/usr/sbin"
libraries=$(LC_ALL=C ldconfig -p 2>/dev/null | grep -E 'lib[nrm]ccl[A-Za-z0-9_-]*\.so')
if [ -n "$libraries" ]; then
  printf '%s\n' "$libraries"
  printf '%s\n' "$libraries" | sed 's/.*=> //' | while read -r path; do readlink -f "$path"; done | sort -u
fi
exit 0
