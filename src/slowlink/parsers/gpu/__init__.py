"""Tools and services that report on GPUs."""
