# title: versions of NVIDIA's driver: loaded, installed, and the firmware of each GPU
# about: nvidia-gpu
# timeout: 10
# when: always
# Reads files only, so that it answers also when nvidia-smi hangs.
found=$(grep -Hs . "$ROOT"/proc/driver/nvidia/version "$ROOT"/sys/module/nvidia/version \
  "$ROOT"/proc/driver/nvidia/gpus/*/information)
if [ -z "$found" ]; then
  echo "the NVIDIA driver is not loaded" >&2
  exit 77
fi
printf '%s\n' "$found"
if [ -z "$ROOT" ] && command -v modinfo >/dev/null 2>&1; then
  installed=$(modinfo -F version nvidia 2>/dev/null)
  [ -n "$installed" ] && echo "installed nvidia kernel module: $installed"
fi
exit 0
