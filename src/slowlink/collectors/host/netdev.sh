# title: network cards: state, MTU, speed, pause frames, driver
# timeout: 60
# when: always
# Only interfaces with a device behind them, and bonds, VLANs and bridges over these.
there=no
for interface in "$ROOT"/sys/class/net/*; do
  set -- "$interface"/lower_*
  [ -e "$interface/device" ] || [ -d "$interface/bonding" ] || [ -e "$1" ] || continue
  there=yes
  name=${interface##*/}
  for file in operstate carrier mtu speed type duplex; do
    value=
    { IFS= read -r value <"$interface/$file"; } 2>/dev/null
    [ -n "$value" ] && printf '%s:%s\n' "$interface/$file" "$value"
  done
  command -v ethtool >/dev/null 2>&1 || continue
  for option in -i -a --show-fec; do
    said=$(ethtool "$option" "$name" 2>/dev/null) && printf '# ethtool %s %s\n%s\n' "$option" "$name" "$said"
  done
done
[ "$there" = yes ] || { echo "no network cards here" >&2; exit 77; }
exit 0
