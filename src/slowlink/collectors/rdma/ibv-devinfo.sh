# title: HCAs and their ports as programs see them: MTU, firmware, transport
# needs: ibv_devinfo
# about: hca
# timeout: 20
# when: always
# Many machines have the tool and no HCA: there its failure says nothing.
ibv_devinfo && exit 0
status=$?
ls "$ROOT"/sys/class/infiniband/* >/dev/null 2>&1 || { echo "no RDMA devices here" >&2; exit 77; }
exit "$status"
