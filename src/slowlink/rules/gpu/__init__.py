"""GPUs: present, responding, clocked, cool, with sound memory, and used by nobody else."""
