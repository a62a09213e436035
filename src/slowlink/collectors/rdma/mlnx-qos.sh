# title: lossless priorities (PFC) and trust of network cards
# needs: mlnx_qos
# timeout: 60
# when: always
# root: better
# The output does not name the interface; the line before does. Without an answer from any card there is nothing.
there=no
for interface in "$ROOT"/sys/class/net/*; do
  [ -d "$interface/device/infiniband" ] || continue
  name=${interface##*/}
  said=$(mlnx_qos -i "$name" 2>/dev/null) || continue
  there=yes
  printf '# mlnx_qos -i %s\n%s\n' "$name" "$said"
done
[ "$there" = yes ] || { echo "no interface answers mlnx_qos" >&2; exit 77; }
exit 0
