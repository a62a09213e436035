"""Tools that report on the HCAs of one node, their ports, GIDs and counters. One file a tool."""
