# title: counters of HCA ports and of network interfaces
# timeout: 30
# when: sampled
# Sampled, because a total since the last reset says nothing: growth does.
there=no
for port in "$ROOT"/sys/class/infiniband/*/ports/*; do
  [ -d "$port" ] || continue
  there=yes
  grep -Hs . "$port"/counters/* "$port"/hw_counters/*
done
for interface in "$ROOT"/sys/class/net/*; do
  # Without a device behind it an interface is virtual: containers have hundreds of these.
  [ -e "$interface/device" ] || continue
  there=yes
  grep -Hs . "$interface/carrier_changes" "$interface"/statistics/rx_crc_errors \
    "$interface"/statistics/[rt]x_errors "$interface"/statistics/[rt]x_dropped "$interface"/statistics/[rt]x_bytes
done
[ "$there" = yes ] || { echo "no HCAs and no network cards here" >&2; exit 77; }
exit 0
