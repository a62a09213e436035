"""The catalogue of what NCCL, RCCL and their network plug-ins print when something goes wrong, as data."""
