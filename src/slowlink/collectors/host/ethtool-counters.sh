# title: pause frames, discards and errors of network cards
# needs: ethtool
# timeout: 60
# when: sampled
# A card has thousands of counters; those that no rule reads are left out.
there=no
for interface in "$ROOT"/sys/class/net/*; do
  [ -e "$interface/device" ] || continue
  name=${interface##*/}
  said=$(ethtool -S "$name" 2>/dev/null) || continue
  there=yes
  printf '# ethtool -S %s\nNIC statistics:\n' "$name"
  printf '%s\n' "$said" | grep -E 'pause|discard|pfc_|_xo|out_of_buffer|crc_err|symbol_err|link_down|[rt]x_errors'
done
[ "$there" = yes ] || { echo "no interface answers ethtool -S" >&2; exit 77; }
exit 0
