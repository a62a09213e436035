# title: RDMA links, as the kernel's rdma tool sees them
# needs: rdma
# timeout: 20
# when: always
rdma link show
