# title: HCAs, their ports, GIDs and partition keys, as the kernel has them
# about: hca
# timeout: 30
# when: always
# Unused GID and key slots are left out: a port has hundreds.
show() { # path, unused value
  value=
  { IFS= read -r value <"$1"; } 2>/dev/null
  case $value in "" | $2) return 1 ;; esac
  printf '%s:%s\n' "$1" "$value"
}
there=no
for hca in "$ROOT"/sys/class/infiniband/*; do
  [ -d "$hca" ] || continue
  there=yes
  for file in fw_ver hca_type board_id hw_rev node_guid sys_image_guid device/numa_node; do
    show "$hca/$file" ""
  done
  grep -Hs PCI_SLOT_NAME "$hca/device/uevent"
  for port in "$hca"/ports/*; do
    for file in state phys_state rate link_layer lid sm_lid; do
      show "$port/$file" ""
    done
    for key in "$port"/pkeys/*; do
      show "$key" "0x0000"
    done
    for gid in "$port"/gids/*; do
      show "$gid" "*0000:0000:0000:0000" || continue
      index=${gid##*/}
      show "$port/gid_attrs/types/$index" ""
      show "$port/gid_attrs/ndevs/$index" ""
    done
  done
done
[ "$there" = yes ] || { echo "no RDMA devices here" >&2; exit 77; }
exit 0
