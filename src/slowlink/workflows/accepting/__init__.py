"""From evidence to an acceptance: what each node and each HCA of a contract was shown to be. Pure but for the digests.

Nothing is judged here that a rule or ``expect`` judges: a check passes where its rule's own words say so, fails where a
finding accuses the node or where the contract's own number is not met, and is open or not measured else.
"""
