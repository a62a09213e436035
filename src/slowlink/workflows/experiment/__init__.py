"""Runs experiments: each trial a launch of its own into one bundle; what to launch and what follows is
``experiments``'."""
