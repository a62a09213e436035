# title: HCAs and their ports, as ibstat sees them
# needs: ibstat
# timeout: 20
# when: always
ibstat
