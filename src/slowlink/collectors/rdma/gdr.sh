# title: whether HCAs can reach GPU memory: peer-memory modules and clients, DMA-BUF
# timeout: 30
# when: always
# What is missing is told only where it could be there: on nodes with GPUs and HCAs.
modules="$ROOT"/sys/module
peers="$ROOT"/sys/kernel/mm/memory_peers
for module in nvidia nvidia_peermem nv_peer_mem gdrdrv metax amdgpu mlx5_core mlx5_ib ib_core efa; do
  grep -Hs . "$modules/$module/initstate" "$modules/$module/version"
done
grep -Hs . "$peers"/*/version
if [ -d "$modules/mlx5_core" ]; then
  [ -d "$modules/nvidia" ] && LC_ALL=C ls -d "$modules/nvidia_peermem" 2>&1 >/dev/null
  if [ -d "$modules/nvidia" ] || [ -d "$modules/metax" ]; then
    LC_ALL=C ls -d "$peers" 2>&1 >/dev/null
  fi
fi
grep -Hs NVRM "$ROOT"/proc/driver/nvidia/version
grep -Hs . "$ROOT"/proc/sys/kernel/osrelease
# Only where symbols of this kind are listed at all does a missing one mean anything.
symbols="$ROOT"/proc/kallsyms
if grep -qs ' __ksymtab_' "$symbols"; then
  printf '%s:%s\n' "$symbols" "$(grep -c ' __ksymtab_mm_kobj$' "$symbols")"
fi
release=
{ read -r release <"$ROOT"/proc/sys/kernel/osrelease; } 2>/dev/null
options='^(# )?CONFIG_(DMA_SHARED_BUFFER|PCI_P2PDMA)[= ]'
if [ -r "$ROOT"/boot/config-"$release" ]; then
  grep -hsE "$options" "$ROOT"/boot/config-"$release"
elif [ -r "$ROOT"/proc/config.gz ] && command -v gzip >/dev/null 2>&1; then
  gzip -dc "$ROOT"/proc/config.gz 2>/dev/null | grep -E "$options"
fi
exit 0
