"""Ports of HCAs and their links: state, rate, errors, flaps, MTU."""
