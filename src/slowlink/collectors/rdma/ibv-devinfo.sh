# title: HCAs and their ports as programs see them: MTU, firmware, transport
# needs: ibv_devinfo
# timeout: 20
# when: always
ibv_devinfo
