# title: state and error counters of NVLinks
# needs: nvidia-smi
# timeout: 30
# when: sampled
# Sampled, because only the growth of error counters says something, and links come up some seconds after boot.
nvidia-smi nvlink -s && nvidia-smi nvlink -e
