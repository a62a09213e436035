"""Links between GPUs: NVLink, NVSwitch, xGMI, IMEX, and peer-to-peer access over them."""
