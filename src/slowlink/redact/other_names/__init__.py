"""Names of hosts, people and addresses, and what stands for them with ``--anonymize``."""
