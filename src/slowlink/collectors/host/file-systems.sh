# title: file systems of disks: are they full or read only, and do NVMe disks live
# timeout: 10
# when: always
# The mounts of process 1 are those of the host, also from inside a container.
mounts="$ROOT"/proc/1/mounts
[ -r "$mounts" ] || mounts="$ROOT"/proc/mounts
grep -E '^/dev/[^ ]+ /[^ ]* (ext[0-9]|xfs|btrfs|f2fs|jfs) ' "$mounts" 2>/dev/null
grep -Hs . "$ROOT"/sys/class/nvme/nvme*/state
if [ -z "$ROOT" ]; then LC_ALL=C df -klP -x tmpfs -x devtmpfs -x overlay -x squashfs 2>/dev/null; fi
exit 0
