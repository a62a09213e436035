# title: IMEX: the domain, and the channels through which GPU memory is shared between nodes
# timeout: 30
# when: always
# Only systems whose NVLink spans nodes have it: elsewhere nothing is missing.
channels="$ROOT/dev/nvidia-caps-imex-channels"
spans=no
grep -qsE 'GB[23]00' "$ROOT"/proc/driver/nvidia/gpus/*/information && spans=yes
if [ -d "$channels" ] || [ "$spans" = yes ]; then
  LC_ALL=C ls -d "$channels" "$channels"/* 2>&1
elif ! command -v nvidia-imex-ctl >/dev/null 2>&1; then
  echo "no IMEX here" >&2
  exit 77
fi
command -v nvidia-imex-ctl >/dev/null 2>&1 && nvidia-imex-ctl -N 2>&1
exit 0
