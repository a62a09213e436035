"""``slowlink check``: asks what the nodes have, runs the tests of the ladder into a bundle, and goes on with
one that was interrupted. What is run next, and what it means, is ``slowlink.ladder``'s."""
