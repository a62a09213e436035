# title: which network interface belongs to which HCA port
# about: hca
# timeout: 20
# when: always
# The script comes with DOCA and MLNX_OFED; without it the kernel's files tell the same.
if [ -z "$ROOT" ] && command -v ibdev2netdev >/dev/null 2>&1; then
  ibdev2netdev -v 2>/dev/null || ibdev2netdev
  exit
fi
there=no
for hca in "$ROOT"/sys/class/infiniband/*; do
  for interface in "$hca"/device/net/*; do
    [ -d "$interface" ] || continue
    there=yes
    state=down number=0
    { read -r state <"$interface/operstate"; } 2>/dev/null
    { read -r number <"$interface/dev_port"; } 2>/dev/null
    case $number in "" | *[!0-9]*) number=0 ;; esac
    [ "$state" = up ] && word=Up || word=Down
    echo "${hca##*/} port $((number + 1)) ==> ${interface##*/} ($word)"
  done
done
[ "$there" = yes ] || { echo "no HCA with a network interface here" >&2; exit 77; }
